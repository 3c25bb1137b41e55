import { type Resolved, type ResolveReference, shortAddress } from '@octavo/reader';
import type { File, SpaceId } from '@octavo/schema';
import { foreignKey } from './foreign-titles.ts';
import type { PageTree } from './navigation.ts';

interface Known {
  /** The space whose documents are drawn. */
  space: SpaceId;
  tree: PageTree;
  files: File[];
  /** The canonical address of the site, with a slash at the end: what is below it is a place in the site. */
  siteUrl: string;
  /** The titles of the spaces of the site, by their ids. */
  spaces: ReadonlyMap<string, string>;
  /** The titles of pages of other spaces, by their `foreignKey`. */
  titles: ReadonlyMap<string, string>;
}

type Reference = Record<string, unknown>;

const text = (reference: Reference, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** An anchor may have been written as it stands in an address. */
function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

const isWeb = (address: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(address);

/**
 * What references of a space's documents lead to, of what the API shows this visitor. What lies outside of the space comes
 * with its address; users, collections, specifications and contents have no place in a site.
 */
export function resolverOf({ space, tree, files, siteUrl, spaces, titles }: Known): ResolveReference {
  const byId = new Map(files.map((file) => [file.id, file]));
  const inSite = (address: string) => (address.startsWith(siteUrl) ? address.slice(siteUrl.length) : address);
  const pageOf = (reference: Reference): Resolved | undefined => {
    const isOwn = [undefined, space].includes(text(reference, 'space'));
    const page = isOwn ? tree.find(text(reference, 'page') ?? '') : undefined;
    if (page === undefined) return undefined;
    const { title, description, icon, emoji } = page;
    return { to: tree.placeOf(page), title, description, icon, emoji };
  };
  const kinds: Record<string, (reference: Reference) => Resolved | undefined> = {
    url: (reference) => {
      const url = text(reference, 'url') ?? '';
      // A place in the page that is no anchor of the space comes of a text from elsewhere: nothing of ours is there.
      return isWeb(url) && !url.startsWith('#') ? { to: inSite(url) } : undefined;
    },
    page: pageOf,
    anchor: (reference) => {
      const anchor = `#${encodeURIComponent(decoded(text(reference, 'anchor') ?? ''))}`;
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
  /** What is told of a reference outside of the space: its name, where that is known. */
  const nameOf = (reference: Reference, href: string): string => {
    const [of = '', page = ''] = [text(reference, 'space'), text(reference, 'page')];
    const named = page === '' ? spaces.get(of) : titles.get(foreignKey({ space: of, page }));
    return named ?? shortAddress(href);
  };
  return (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const given = reference as Reference;
    const kind = text(given, 'kind') ?? '';
    const found = Object.hasOwn(kinds, kind) ? kinds[kind]?.(given) : undefined;
    const href = text(given, 'href');
    if (found !== undefined || href === undefined || !isWeb(href)) return found;
    return { to: inSite(href), title: nameOf(given, href) };
  };
}
