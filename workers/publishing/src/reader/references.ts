import type { ResolvedReference, ResolveReference, ShownDocument } from '@octavo/reader';
import { shortenAddress } from '@octavo/reader';
import type { File, Page, Revision, SpaceId } from '@octavo/schema';
import type { PageTree } from './navigation.ts';
import type { SiteApi } from './site-visit.ts';

interface ResolverInput {
  /** The space of the rendered documents. */
  space: SpaceId;
  tree: PageTree;
  files: File[];
  /** The canonical address of the site, with a trailing slash. */
  siteUrl: string;
  /** The titles of the site's spaces by space id. */
  spaces: ReadonlyMap<string, string>;
  /** The titles of pages of other spaces by `getForeignKey`. */
  titles: ReadonlyMap<string, string>;
}

type Reference = Record<string, unknown>;

const getText = (reference: Reference, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Anchors may be URL-encoded. */
function decodeAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

const isWebUrl = (address: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(address);

/**
 * Creates a function that resolves references in a space's documents to what the visitor can see. References to other
 * spaces contain their URL. Users, collections, specifications and reusable contents have no URL in a site.
 */
export function createResolver({ space, tree, files, siteUrl, spaces, titles }: ResolverInput): ResolveReference {
  const byId = new Map(files.map((file) => [file.id, file]));
  const toSitePath = (address: string) => (address.startsWith(siteUrl) ? address.slice(siteUrl.length) : address);
  const resolvePage = (reference: Reference): ResolvedReference | undefined => {
    const isSameSpace = [undefined, space].includes(getText(reference, 'space'));
    const page = isSameSpace ? tree.find(getText(reference, 'page') ?? '') : undefined;
    if (page === undefined) return undefined;
    const { title, description, icon, emoji } = page;
    return { to: tree.getPath(page), title, description, icon, emoji };
  };
  const kinds: Record<string, (reference: Reference) => ResolvedReference | undefined> = {
    url: (reference) => {
      const url = getText(reference, 'url') ?? '';
      // A bare fragment refers to another source text, so it would be a broken link here.
      return isWebUrl(url) && !url.startsWith('#') ? { to: toSitePath(url) } : undefined;
    },
    page: resolvePage,
    anchor: (reference) => {
      const anchor = `#${encodeURIComponent(decodeAnchor(getText(reference, 'anchor') ?? ''))}`;
      if (getText(reference, 'page') === undefined) return { to: anchor };
      const page = resolvePage(reference);
      return page === undefined ? undefined : { ...page, to: `${page.to}${anchor}` };
    },
    file: (reference) => {
      const file = byId.get(getText(reference, 'file') ?? '');
      if (file === undefined) return undefined;
      const { name, contentType, size, dimensions, downloadURL } = file;
      return { to: downloadURL, title: name, file: { name, contentType, size, dimensions } };
    },
    space: (reference) =>
      getText(reference, 'space') === space ? { to: tree.base, title: spaces.get(space) } : undefined,
  };
  /** Returns the title of a referenced page or space, else its shortened URL. */
  const getTitle = (reference: Reference, href: string): string => {
    const [spaceId = '', page = ''] = [getText(reference, 'space'), getText(reference, 'page')];
    const knownTitle = page === '' ? spaces.get(spaceId) : titles.get(getForeignKey({ space: spaceId, page }));
    return knownTitle ?? shortenAddress(href);
  };
  return (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const fields = reference as Reference;
    const kind = getText(fields, 'kind') ?? '';
    const resolved = Object.hasOwn(kinds, kind) ? kinds[kind]?.(fields) : undefined;
    const href = getText(fields, 'href');
    if (resolved !== undefined || href === undefined || !isWebUrl(href)) return resolved;
    return { to: toSitePath(href), title: getTitle(fields, href) };
  };
}

/** Maximum number of other spaces whose page titles are looked up. Further links show their URL. */
const maxSpaces = 4;

interface ForeignReference {
  page: string;
  space: SpaceId;
}

/** Finds references to pages of other spaces, except for links with a text, which need no title. */
function findForeignReferences(node: unknown, references: ForeignReference[] = []): ForeignReference[] {
  if (typeof node !== 'object' || node === null) return references;
  const { type, page, space, href } = node as Record<string, unknown>;
  if (typeof page === 'string' && typeof space === 'string' && typeof href === 'string')
    references.push({ page, space });
  for (const name in node) {
    const value = (node as Record<string, unknown>)[name];
    if (typeof value === 'object' && (type !== 'link' || name !== 'data')) findForeignReferences(value, references);
  }
  return references;
}

/** Includes the space, since copies of a space contain pages with the same ids. */
const getForeignKey = ({ space, page }: ForeignReference): string => `${space} ${page}`;

const flattenPages = (pages: Page[]): Page[] =>
  pages.flatMap((page) =>
    page.type === 'document' || page.type === 'group' ? [page, ...flattenPages(page.pages)] : [page],
  );

/** Reads the titles of referenced pages of other spaces, with one call per space. */
export async function readForeignTitles(api: SiteApi, document: ShownDocument): Promise<ReadonlyMap<string, string>> {
  const references = findForeignReferences(document);
  const spaces = [...new Set(references.map(({ space }) => space))].slice(0, maxSpaces);
  const wantedKeys = new Set(references.map(getForeignKey));
  const titles = new Map<string, string>();
  await Promise.all(
    spaces.map(async (space) => {
      const revision = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space}/content/pages`);
      for (const { id, title } of flattenPages(revision?.pages ?? [])) {
        const key = getForeignKey({ space, page: id });
        if (wantedKeys.has(key)) titles.set(key, title);
      }
    }),
  );
  return titles;
}
