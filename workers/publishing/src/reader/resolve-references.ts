import type { Resolved, ResolveReference } from '@octavo/reader';
import type { File } from '@octavo/schema';
import type { PageTree } from './navigation.ts';

interface Known {
  tree: PageTree;
  files: File[];
  /** The canonical address of the site, with a slash at the end: what is below it is a place in the site. */
  siteUrl: string;
}

const text = (reference: Record<string, unknown>, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const isWeb = (address: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(address);

/** What references of a space's documents lead to, of what its tree and files show this visitor. */
export function resolverOf({ tree, files, siteUrl }: Known): ResolveReference {
  const byId = new Map(files.map((file) => [file.id, file]));
  const inSite = (address: string) => (address.startsWith(siteUrl) ? address.slice(siteUrl.length) : address);
  const pageOf = (reference: Record<string, unknown>): Resolved | undefined => {
    const id = text(reference, 'page');
    const page = id === undefined || text(reference, 'space') !== undefined ? undefined : tree.find(id);
    if (page === undefined) return undefined;
    const { title, description, icon, emoji } = page;
    return { to: tree.placeOf(page), title, description, icon, emoji };
  };
  const kinds: Record<string, (reference: Record<string, unknown>) => Resolved | undefined> = {
    url: (reference) => {
      const url = text(reference, 'url') ?? '';
      return isWeb(url) ? { to: inSite(url) } : undefined;
    },
    page: pageOf,
    anchor: (reference) => {
      const anchor = `#${encodeURIComponent(text(reference, 'anchor') ?? '')}`;
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
  };
  return (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const given = reference as Record<string, unknown>;
    const href = text(given, 'href');
    if (href !== undefined && isWeb(href)) return { to: inSite(href) };
    const kind = text(given, 'kind') ?? '';
    return Object.hasOwn(kinds, kind) ? kinds[kind]?.(given) : undefined;
  };
}
