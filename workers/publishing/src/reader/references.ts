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
  /** The titles of the site's spaces by id. */
  spaces: ReadonlyMap<string, string>;
  /** The titles of pages of other spaces by `foreignKey`. */
  titles: ReadonlyMap<string, string>;
}

type Reference = Record<string, unknown>;

const text = (reference: Reference, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** An anchor may have been written URL-encoded. */
function decodeAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

const isWebUrl = (address: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(address);

/**
 * Resolves the references in a space's documents to what the visitor is shown. References to other spaces contain their
 * address. Users, collections, specifications and reusable contents have no address in a site.
 */
export function createResolver({ space, tree, files, siteUrl, spaces, titles }: ResolverInput): ResolveReference {
  const byId = new Map(files.map((file) => [file.id, file]));
  const inSite = (address: string) => (address.startsWith(siteUrl) ? address.slice(siteUrl.length) : address);
  const pageOf = (reference: Reference): ResolvedReference | undefined => {
    const isOwn = [undefined, space].includes(text(reference, 'space'));
    const page = isOwn ? tree.find(text(reference, 'page') ?? '') : undefined;
    if (page === undefined) return undefined;
    const { title, description, icon, emoji } = page;
    return { to: tree.placeOf(page), title, description, icon, emoji };
  };
  const kinds: Record<string, (reference: Reference) => ResolvedReference | undefined> = {
    url: (reference) => {
      const url = text(reference, 'url') ?? '';
      // A bare fragment comes from a text of another source, so it links to nothing here.
      return isWebUrl(url) && !url.startsWith('#') ? { to: inSite(url) } : undefined;
    },
    page: pageOf,
    anchor: (reference) => {
      const anchor = `#${encodeURIComponent(decodeAnchor(text(reference, 'anchor') ?? ''))}`;
      if (text(reference, 'page') === undefined) return { to: anchor };
      const page = pageOf(reference);
      return page === undefined ? undefined : { ...page, to: `${page.to}${anchor}` };
    },
    file: (reference) => {
      const file = byId.get(text(reference, 'file') ?? '');
      if (file === undefined) return undefined;
      const { name, contentType, size, dimensions, downloadURL } = file;
      return { to: downloadURL, title: name, file: { name, contentType, size, dimensions } };
    },
    space: (reference) =>
      text(reference, 'space') === space ? { to: tree.base, title: spaces.get(space) } : undefined,
  };
  /** The title of a reference to another space, else its shortened address. */
  const nameOf = (reference: Reference, href: string): string => {
    const [of = '', page = ''] = [text(reference, 'space'), text(reference, 'page')];
    const named = page === '' ? spaces.get(of) : titles.get(getForeignKey({ space: of, page }));
    return named ?? shortenAddress(href);
  };
  return (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const given = reference as Reference;
    const kind = text(given, 'kind') ?? '';
    const found = Object.hasOwn(kinds, kind) ? kinds[kind]?.(given) : undefined;
    const href = text(given, 'href');
    if (found !== undefined || href === undefined || !isWebUrl(href)) return found;
    return { to: inSite(href), title: nameOf(given, href) };
  };
}

/** Maximum number of other spaces whose page titles are looked up. Further links show their address. */
const maxSpaces = 4;

interface ForeignReference {
  page: string;
  space: SpaceId;
}

/** Finds the pages of other spaces whose titles a document shows. Links with their own text need no title. */
function findForeignReferences(node: unknown, found: ForeignReference[] = []): ForeignReference[] {
  if (typeof node !== 'object' || node === null) return found;
  const { type, page, space, href } = node as Record<string, unknown>;
  if (typeof page === 'string' && typeof space === 'string' && typeof href === 'string') found.push({ page, space });
  for (const name in node) {
    const value = (node as Record<string, unknown>)[name];
    if (typeof value === 'object' && (type !== 'link' || name !== 'data')) findForeignReferences(value, found);
  }
  return found;
}

/** Includes the space, since copies of a space have pages with the same ids. */
const getForeignKey = ({ space, page }: ForeignReference): string => `${space} ${page}`;

const pagesIn = (pages: Page[]): Page[] =>
  pages.flatMap((page) =>
    page.type === 'document' || page.type === 'group' ? [page, ...pagesIn(page.pages)] : [page],
  );

/** Reads the titles of pages of other spaces as shown to the visitor. One call for each space. */
export async function readForeignTitles(api: SiteApi, document: ShownDocument): Promise<ReadonlyMap<string, string>> {
  const references = findForeignReferences(document);
  const spaces = [...new Set(references.map(({ space }) => space))].slice(0, maxSpaces);
  const wanted = new Set(references.map(getForeignKey));
  const titles = new Map<string, string>();
  await Promise.all(
    spaces.map(async (space) => {
      const read = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space}/content/pages`);
      for (const { id, title } of pagesIn(read?.pages ?? [])) {
        const key = getForeignKey({ space, page: id });
        if (wanted.has(key)) titles.set(key, title);
      }
    }),
  );
  return titles;
}
