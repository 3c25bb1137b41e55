import { slugify } from '@octavo/markdown';
import {
  addOutlineEntry,
  findFirstTitle,
  getPageName,
  nameToSlug,
  nameToTitle,
  type Unplaced,
  type WantedEntry,
  type WantedLink,
} from './frontmatter-fields.ts';
import type { SourceReader } from './reader.ts';

/** A node of the page tree as a convention defines it. `placeItems` adds what the texts of the pages define. */
export type Item = PageItem | GroupItem | LinkedItem;

/** A page, with or without a file. */
export interface PageItem {
  type: 'page';
  path?: string;
  /** The title in the file that defines the order of pages, or the title of a page without a file. */
  title?: string;
  /** The title of a new page whose text has no title, if the title is not derived from the file name. */
  fallbackTitle?: string;
  /** The slug, if it is not derived from the file name. */
  slug?: string;
  hidden?: boolean;
  items: Item[];
}

/** A heading above pages. Below the top level, a page without text replaces it. */
interface GroupItem {
  type: 'group';
  title: string;
  /** The slug, if it is not derived from the title. */
  slug?: string;
  items: Item[];
}

/** A link. Links have no children: items nested below a link become its siblings. */
export interface LinkedItem {
  type: 'link';
  title: string;
  target: WantedLink['target'];
  items: Item[];
}

export const createPageItem = (path: string, fields: Partial<PageItem> = {}): PageItem => ({
  type: 'page',
  path,
  items: [],
  ...fields,
});

/** Yields every item, parents before children. */
export function* walkItems(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item;
    yield* walkItems(item.items);
  }
}

/** Returns the paths of the pages. */
export const getPaths = (items: readonly Item[]): string[] =>
  [...walkItems(items)].flatMap((item) => (item.type === 'page' && item.path !== undefined ? [item.path] : []));

/** Reads the pages of the items. A second item for the same page becomes a link to the first. */
export async function placeItems(items: readonly Item[], reader: SourceReader): Promise<WantedEntry[]> {
  const state: Placing = { roots: [], reader, used: new Set() };
  for (const item of items) await placeItem(state, item, undefined);
  return state.roots;
}

interface Placing {
  roots: WantedEntry[];
  reader: SourceReader;
  used: Set<string>;
}

async function placeItem(state: Placing, item: Item, parent: WantedEntry | undefined): Promise<void> {
  const node = await getNode(state, item, parent === undefined);
  const added = addOutlineEntry(state.roots, parent, node);
  for (const child of item.items) await placeItem(state, child, added.kind === 'link' ? parent : added);
}

async function getNode({ reader, used }: Placing, item: Item, isTop: boolean): Promise<Unplaced> {
  if (item.type === 'link') return getLink(item);
  if (item.type === 'group') {
    const title = findFirstTitle(item.title);
    const slug = item.slug ?? slugify(title);
    return isTop ? { kind: 'group', title, slug } : createEmptyPage({ type: 'page', title, slug, items: [] });
  }
  const { path } = item;
  if (path === undefined) return createEmptyPage(item);
  if (used.has(path)) {
    const title = findFirstTitle(item.title ?? '', nameToTitle(getPageName(path)));
    return { kind: 'link', title, target: { kind: 'file-of-page', path } };
  }
  used.add(path);
  return getPage(item, path, reader);
}

const getLink = ({ title, target }: LinkedItem): Omit<WantedLink, 'parent' | 'previous' | 'children'> => ({
  kind: 'link',
  title: findFirstTitle(title),
  target,
});

function createEmptyPage({ title: givenTitle = '', slug, hidden }: PageItem): Unplaced {
  const title = findFirstTitle(givenTitle);
  return {
    kind: 'page',
    title,
    fallbackTitle: title,
    slug: slug ?? slugify(title),
    ...(hidden !== undefined && { hidden }),
  };
}

async function getPage(
  { title, slug, hidden, fallbackTitle }: PageItem,
  path: string,
  reader: SourceReader,
): Promise<Unplaced> {
  const name = getPageName(path);
  const file = await reader.readPage(path);
  return {
    kind: 'page',
    path,
    slug: slug ?? nameToSlug(name),
    fallbackTitle: fallbackTitle ?? nameToTitle(name),
    ...(title !== undefined && title !== '' && { title }),
    ...(hidden !== undefined && { hidden }),
    ...(file && { file }),
  };
}
