import { type Item, type PageItem, pageItem, pathsOf } from '../items.ts';
import { nameOf } from '../paths.ts';

/** Whether a file is a part of pages and no page: its name, or that of a folder below `root`, begins with a line. */
export const isPart = (path: string, root: string): boolean =>
  path
    .slice(root.length)
    .split('/')
    .some((part) => part.startsWith('_') && !/^_index\./i.test(part));

const isHome = (path: string): boolean => /^(?:index|readme|_index)\.\w+$/i.test(nameOf(path));

/** The pages that a tree does not list, hidden. */
export function withoutListed(pages: readonly string[], items: readonly Item[]): PageItem[] {
  const listed = new Set(pathsOf(items));
  return pages.filter((path) => !listed.has(path)).map((path) => pageItem(path, { hidden: true }));
}

/** A tree with all pages of a folder: its own page first, where the tree does not list it, and the others last, hidden. */
export function withUnlisted(items: Item[], pages: readonly string[], root: string): Item[] {
  const rest = withoutListed(pages, items);
  const home = rest.find(({ path = '' }) => path.slice(root.length) === nameOf(path) && isHome(path));
  if (home === undefined) return [...items, ...rest];
  const { hidden: _, ...shown } = home;
  return [shown, ...items, ...rest.filter((item) => item !== home)];
}
