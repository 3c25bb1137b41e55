import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, getObject, getTextAt, getValueAt } from '../data/read-data.ts';
import { readPageFields } from '../fields.ts';
import { isFolderPage } from '../frontmatter-fields.ts';
import { type Item, type PageItem, walkItems } from '../items.ts';
import { getFolder, getName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { getConfiguration } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';
import { postItems } from './posts.ts';

/** Reads Jekyll: pages in folders and collections, ordered by number, below the parents that they name. */
export async function readJekyll(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, '_config\\.ya?ml');
  if (file === undefined) return undefined;
  const configuration = await reader.readData(file);
  const root = getFolder(file);
  const collections = [...Object.keys(getObject(getValueAt(configuration, 'collections'))), 'docs'].map(
    (name) => `_${name}`,
  );
  const inside = reader.pages.filter((path) => path.startsWith(root));
  const getKind = (path: string): Kind => getFileKind(path.slice(root.length), collections);
  const pages = inside.filter((path) => getKind(path) === 'page');
  const site = createPlainSite(root, {
    base: getTextAt(configuration, 'baseurl') ?? '/',
    assets: [root],
    content: [root],
  });
  site.base = `/${site.base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  const redirects = await recordAddresses(reader, pages, site);
  const posts = await postItems(reader, {
    pages: inside.filter((path) => getKind(path) === 'post'),
    folder: `${root}_posts/`,
    route: '',
    addresses: site.pages,
  });
  const items = await nestByParents(
    reader,
    await collectFolderItems(reader, { root, pages }),
    hasParentTitles(configuration),
  );
  return {
    name: 'jekyll',
    path: file,
    items: posts.length === 0 ? items : [...items, { type: 'group', title: 'Posts', items: posts }],
    parts: inside.filter((path) => getKind(path) === 'part'),
    redirects,
    site,
    addresses: { style: 'both', pages: site.pages },
    outputLocations: createSiteLocations(root, `${root}assets/`, {
      servedFolder: { folder: root, address: site.base },
      titles: 'frontmatter',
    }),
  };
}

const maxOfTitle = 20;
const maxOfLevels = 100;

type Kind = 'page' | 'post' | 'part' | 'other';

/**
 * Returns the kind of a file by its path below the root. Folders that start with an underscore contain no pages, except
 * collections.
 */
function getFileKind(path: string, collections: string[]): Kind {
  const folder = path.split('/').find((part) => part.startsWith('_'));
  if (folder === undefined || folder === getName(path) || collections.includes(folder)) return 'page';
  if (folder === '_posts') return 'post';
  return folder === '_includes' ? 'part' : 'other';
}

/** Records the addresses of pages, and returns redirects from their former addresses. */
async function recordAddresses(reader: SourceReader, pages: string[], { root, pages: sitePages }: Layout['site']) {
  const redirects: Layout['redirects'] = [];
  for (const path of pages) {
    const fields = await reader.readFields(path);
    const ownAddress = removeMarkdownEnding(path.slice(root.length))
      .replace(/(^|\/)readme$/i, '$1')
      .replace(/^_/, '');
    for (const address of [getTextAt(fields, 'permalink') ?? ownAddress, ownAddress])
      if (!sitePages.has(toAddressKey(address))) sitePages.set(toAddressKey(address), path);
    const formerAddresses = getValueAt(fields, 'redirect_from');
    for (const source of typeof formerAddresses === 'string' ? [formerAddresses] : getList(formerAddresses))
      if (typeof source === 'string') redirects.push({ source, target: `/${path}`, from: '', file: path });
  }
  return redirects;
}

/** Whether the site's theme nests pages only by the parents that they name. */
const hasParentTitles = (configuration: DataValue): boolean =>
  ['theme', 'remote_theme'].some((key) => getTextAt(configuration, key)?.includes('just-the-docs'));

/**
 * Moves pages below the parent that they name by title, wherever their files are. If the theme nests pages only by
 * parents, a numbered page without a parent is at the top level.
 */
async function nestByParents(reader: SourceReader, items: Item[], isByParents: boolean): Promise<Item[]> {
  const pages = [...walkItems(items)].filter((item): item is PageItem & { path: string } => 'path' in item);
  const parents = await getParents(reader, pages, indexByParent(items));
  if (parents.size === 0 && !isByParents) return items;
  const top = new Map<Item, number>();
  for (const page of pages) {
    const fields = await reader.readFields(page.path);
    const { position } = readPageFields(fields);
    if (getTextAt(fields, 'parent') !== undefined) continue;
    if (position !== undefined) top.set(page, position);
    else if (page === items[0] && isFolderPage(page.path)) top.set(page, Number.NEGATIVE_INFINITY);
  }
  const rest = [...removeMovedPages(items, { has: (page) => parents.has(page) || top.has(page) }), ...top.keys()];
  for (const [page, parent] of parents) parent.items.push(page);
  const getOrder = (item: Item) => top.get(item) ?? Number.POSITIVE_INFINITY;
  return rest.sort((one, other) => (getOrder(one) === getOrder(other) ? 0 : getOrder(one) - getOrder(other)));
}

/** Returns the parent of each item. */
const indexByParent = (items: readonly Item[]): Map<Item, Item> =>
  new Map([...walkItems(items)].flatMap((item) => item.items.map((inner): [Item, Item] => [inner, item])));

async function getParents(
  reader: SourceReader,
  pages: (PageItem & { path: string })[],
  parentsByItem: Map<Item, Item>,
): Promise<Map<PageItem, PageItem>> {
  const parents = new Map<PageItem, PageItem>();
  const titles = new Map<string, PageItem[]>();
  const getDepth = ({ path }: { path: string }) => path.split('/').length;
  for (const page of pages.toSorted((one, other) => getDepth(one) - getDepth(other))) {
    const title = getTextAt(await reader.readFields(page.path), 'title');
    if (title !== undefined) titles.set(title, [...(titles.get(title) ?? []), page].slice(0, maxOfTitle));
  }
  for (const page of pages) {
    const fields = await reader.readFields(page.path);
    const parentTitle = getTextAt(fields, 'parent');
    if (parentTitle === undefined) continue;
    const grandparent = getTextAt(fields, 'grand_parent');
    for (const item of titles.get(parentTitle) ?? []) {
      const ownParentTitle = getTextAt(await reader.readFields(item.path ?? ''), 'parent');
      if ((grandparent !== undefined && ownParentTitle !== grandparent) || !canBeParent(item, page, parentsByItem))
        continue;
      parents.set(page, item);
      parentsByItem.set(page, item);
      break;
    }
  }
  return parents;
}

/** Whether a page may become the parent of another page. It must not become the parent of one of its ancestors. */
function canBeParent(parent: Item, page: Item, parentsByItem: ReadonlyMap<Item, Item>): boolean {
  let ancestor: Item | undefined = parent;
  for (let steps = 0; ancestor !== undefined && ancestor !== page && steps < maxOfLevels; steps += 1)
    ancestor = parentsByItem.get(ancestor);
  return ancestor === undefined;
}

/** Returns the items that were not moved, in order. Empty folders without a page are removed. */
function removeMovedPages(items: Item[], movedPages: { has: (page: PageItem) => boolean }): Item[] {
  return items.flatMap((item): Item[] => {
    const count = item.items.length;
    item.items = removeMovedPages(item.items, movedPages);
    if (item.type === 'group' && count > 0 && item.items.length === 0) return [];
    if (item.type !== 'page') return [item];
    return movedPages.has(item) ? [] : [item];
  });
}
