import { Addresses, addressKey } from '../addresses.ts';
import { withoutMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, getObject, isObject, textAt, textsIn, valueAt } from '../data/read-data.ts';
import { type Item, pageItem } from '../items.ts';
import { getMatcher, normalizePath, shownName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { folderItems } from './folders.ts';
import { type Layout, plainSite } from './layout.ts';
import { getConfiguration, linkItem, withUnlisted } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';

/** Reads VitePress and VuePress: one sidebar for all pages, or one for each folder. */
export async function readVitepress(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, '\\.(?:vitepress|vuepress)/config(?:/index)?\\.(?:[mc]?[jt]s|json)');
  if (file === undefined) return undefined;
  const configuration = await reader.data(file);
  const [, above = '', name = ''] = /^((?:.*\/)?)\.(vitepress|vuepress)\//.exec(file) ?? [];
  const inside = normalizePath(`${above}${textAt(configuration, 'srcDir') ?? ''}`);
  const root = inside === '' ? '' : `${inside}/`;
  const isExcluded = getMatcher(textsIn(valueAt(configuration, 'srcExclude')));
  const pages = reader.pages.filter(
    (path) =>
      path.startsWith(root) && !/(?:^|\/)\.(?:vite|vue)press\//.test(path) && !isExcluded(path.slice(root.length)),
  );
  const rewritten = rewrittenIn(configuration, pages, root);
  const site = plainSite(above, {
    base: textAt(configuration, 'base') ?? '/',
    assets: [`${root}public/`, `${above}.vuepress/public/`],
    content: [root],
    pages: new Map([...rewritten, ...pages.map((path): [string, string] => [getKey(path, root), path]), ...rewritten]),
  });
  return {
    name: name === 'vuepress' ? 'vuepress' : 'vitepress',
    path: file,
    items: await getItems(reader, { file, root, pages, sidebar: getSidebar(configuration), site }),
    parts: [],
    redirects: [],
    site,
    addresses: { style: 'both', pages: site.pages },
    places:
      name === 'vuepress'
        ? createSiteLocations(root, `${above}.vuepress/public/`, { index: 'README.md' })
        : createSiteLocations(root, `${root}public/`),
  };
}

const getKey = (path: string, root: string): string =>
  addressKey(withoutMarkdownEnding(path.slice(root.length)).replace(/(^|\/)readme$/i, '$1'));

/** Returns the rewritten addresses of single pages. Pages that match a rewrite pattern keep their own address. */
const rewrittenIn = (configuration: DataValue, pages: string[], root: string): [string, string][] =>
  Object.entries(getObject(valueAt(configuration, 'rewrites'))).flatMap(([from, to]): [string, string][] => {
    const path = normalizePath(`${root}${from}`);
    return typeof to === 'string' && pages.includes(path) ? [[getKey(`${root}${to}`, root), path]] : [];
  });

const getSidebar = (configuration: DataValue): DataValue =>
  valueAt(configuration, 'themeConfig', 'sidebar') ??
  valueAt(configuration, 'locales', 'root', 'themeConfig', 'sidebar') ??
  valueAt(configuration, 'themeConfig', 'locales', '/', 'sidebar');

interface Listing {
  reader: SourceReader;
  file: string;
  root: string;
  pages: string[];
  addresses: Addresses;
}

async function getItems(
  reader: SourceReader,
  given: Omit<Listing, 'reader' | 'addresses'> & { sidebar: DataValue; site: Layout['site'] },
): Promise<Item[]> {
  const { root, pages, sidebar, file } = given;
  const listing: Listing = { reader, file, root, pages, addresses: new Addresses(given.site, reader.files) };
  const items = isObject(sidebar)
    ? itemsOfFolders(sidebar, listing)
    : getList(sidebar).flatMap((each) => getItem(each, '', listing));
  if (items.length > 0) return withUnlisted(items, pages, root);
  if (sidebar !== undefined && sidebar !== 'auto' && sidebar !== false)
    reader.warn(file, 'The sidebar is not plain data. The order was taken from the folders and the frontmatter.');
  return folderItems(reader, { root, pages });
}

/** Concatenates the sidebars of several folders. A sidebar that several folders share is added once. */
function itemsOfFolders(sidebars: DataValue, listing: Listing): Item[] {
  const known = new Set<string>();
  return Object.entries(isObject(sidebars) ? sidebars : {}).flatMap(([key, given]) => {
    const list = Array.isArray(given) ? given : getList(valueAt(given, 'items'));
    const base = textAt(given, 'base') ?? '';
    if (list.length === 0)
      listing.reader.warn(listing.file, `The sidebar of ${shownName(key)} is not plain data and was skipped.`);
    const items = list.flatMap((each) => getItem(each, base, listing));
    const text = JSON.stringify(items);
    if (known.has(text)) return [];
    known.add(text);
    return items;
  });
}

function getItem(given: DataValue, above: string, listing: Listing): Item[] {
  if (typeof given === 'string') return linked(given, undefined, { base: above, listing });
  if (Array.isArray(given))
    return linked(String(given[0]), textAt({ title: given[1] }, 'title'), { base: above, listing });
  if (!isObject(given)) {
    listing.reader.warn(listing.file, 'A part of the sidebar is not plain data and was skipped.');
    return [];
  }
  const title = textAt(given, 'text') ?? textAt(given, 'title');
  const base = textAt(given, 'base') ?? above;
  const link = textAt(given, 'link') ?? textAt(given, 'path');
  const inner = getList(valueAt(given, 'items') ?? valueAt(given, 'children'));
  const items = inner.flatMap((each) => getItem(each, base, listing));
  const [own] = link === undefined ? [] : linked(link, title, { base: above, listing });
  if (own !== undefined) return [{ ...own, items }];
  return items.length > 0 || (title !== undefined && link === undefined)
    ? [{ type: 'group', title: title ?? 'Untitled', items }]
    : [];
}

function linked(
  link: string,
  title: string | undefined,
  { base, listing }: { base: string; listing: Listing },
): Item[] {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return linkItem(link, title);
  const address = link.replace(/[?#].*$/s, '');
  const from = `${listing.root}index.md`;
  const tried = base === '' || link.startsWith('/') ? [`/${address}`, address] : [`${base}${address}`];
  const path = tried
    .map((each) => listing.addresses.find(each.replace(/^\/\//, '/'), from))
    .find((each) => each !== undefined && listing.pages.includes(each));
  if (path !== undefined) return [pageItem(path, title === undefined ? {} : { title })];
  listing.reader.warn(listing.file, `The sidebar lists ${shownName(link)}, which is not a page.`);
  return [];
}
