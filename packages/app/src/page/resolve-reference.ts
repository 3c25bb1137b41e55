import { type PageView, type ResolvedReference, shortenAddress, toSafeAddress } from '@octavo/reader/drawing';
import type { File, Page } from '@octavo/schema';

/** Adds `/content` to the path of a space or a change request. The pages of a revision are directly below its path. */
export const getContentPath = (path: string): string => (path.includes('/revisions/') ? path : `${path}/content`);

/** Returns the ids of the files that a document refers to. */
export const findFileIds = (document: unknown): string[] => [
  ...new Set((JSON.stringify(document) ?? '').match(/(?<=")file_[0-9A-Za-z]{20}(?=")/g)),
];

interface ResolverSources {
  space: string;
  /** The path of the content: of a space, of a change request or of a revision. */
  contentPath: string;
  pages: ReadonlyMap<string, Page>;
  files: ReadonlyMap<string, File>;
}

type Reference = Record<string, unknown>;

const getText = (reference: Reference, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the address of a page in the app. In a change request, this is the address of the editor. */
export const getPageAddress = (contentPath: string, page: string): string =>
  contentPath.includes('/change-requests/')
    ? `/app${contentPath}/edit/${page}`
    : `/app${getContentPath(contentPath)}/page/${page}`;

/** Decodes percent-encoded text. A malformed one stays as it is. */
export const decodeText = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function resolvePage(reference: Reference, { space, contentPath, pages }: ResolverSources) {
  const [id = '', otherSpace = space] = [getText(reference, 'page'), getText(reference, 'space')];
  if (otherSpace !== space) return { to: getPageAddress(`/spaces/${otherSpace}`, id) };
  const page = pages.get(id);
  if (page === undefined) return undefined;
  const { title, icon, emoji } = page;
  const description = page.type === 'document' ? page.description : undefined;
  return { to: getPageAddress(contentPath, id), title, description, icon, emoji };
}

function resolveFile(reference: Reference, { files }: ResolverSources): ResolvedReference | undefined {
  const file = files.get(getText(reference, 'file') ?? '');
  if (file === undefined) return undefined;
  const { name, contentType, size, dimensions, downloadURL } = file;
  return { to: downloadURL, title: name, file: { name, contentType, size, dimensions } };
}

function resolveAnchor(reference: Reference, sources: ResolverSources): ResolvedReference | undefined {
  const anchor = `#${encodeURIComponent(decodeText(getText(reference, 'anchor') ?? ''))}`;
  if (getText(reference, 'page') === undefined) return { to: anchor };
  const page = resolvePage(reference, sources);
  return page && { ...page, to: `${page.to}${anchor}` };
}

/** Creates a function that resolves the references of a document to addresses in the app. */
export const createAppResolver =
  (sources: ResolverSources): PageView['resolve'] =>
  (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const fields = reference as Reference;
    const [kind, space] = [getText(fields, 'kind'), getText(fields, 'space')];
    const href = toSafeAddress(getText(fields, 'href'));
    const url = toSafeAddress(kind === 'url' ? getText(fields, 'url') : undefined);
    if (url !== undefined) return /^(?:https?:|mailto:|tel:)/i.test(url) ? { to: url } : undefined;
    const resolved =
      (kind === 'page' && resolvePage(fields, sources)) ||
      (kind === 'anchor' && resolveAnchor(fields, sources)) ||
      (kind === 'file' && resolveFile(fields, sources)) ||
      (kind === 'space' && space !== undefined && { to: `/app/spaces/${space}` });
    if (resolved) return { title: href === undefined ? undefined : shortenAddress(href), ...resolved };
    return href === undefined ? undefined : { to: href, title: shortenAddress(href) };
  };
