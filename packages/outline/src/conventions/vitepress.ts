import { Addresses, toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, getObject, getTextAt, getValueAt, isObject, readTexts } from '../data/read-data.ts';
import { createPageItem, type Item } from '../items.ts';
import { getMatcher, normalizePath, toDisplayName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { addUnlisted, createLinkItem, getConfiguration, warnAboutMissingFile } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';

/** Reads VitePress and VuePress: one sidebar for all pages, or one for each folder. */
export async function readVitepress(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, '\\.(?:vitepress|vuepress)/config(?:/index)?\\.(?:[mc]?[jt]s|json)');
  if (file === undefined) return undefined;
  const configuration = await reader.readData(file);
  const [, siteRoot = '', name = ''] = /^((?:.*\/)?)\.(vitepress|vuepress)\//.exec(file) ?? [];
  const inside = normalizePath(`${siteRoot}${getTextAt(configuration, 'srcDir') ?? ''}`);
  const root = inside === '' ? '' : `${inside}/`;
  const isExcluded = getMatcher(readTexts(getValueAt(configuration, 'srcExclude')));
  const pages = reader.pages.filter(
    (path) =>
      path.startsWith(root) && !/(?:^|\/)\.(?:vite|vue)press\//.test(path) && !isExcluded(path.slice(root.length)),
  );
  const rewritten = readRewrites(configuration, pages, root);
  const site = createPlainSite(siteRoot, {
    base: getTextAt(configuration, 'base') ?? '/',
    assets: [`${root}public/`, `${siteRoot}.vuepress/public/`],
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
    outputLocations:
      name === 'vuepress'
        ? createSiteLocations(root, `${siteRoot}.vuepress/public/`, { index: 'README.md' })
        : createSiteLocations(root, `${root}public/`),
  };
}

const getKey = (path: string, root: string): string =>
  toAddressKey(removeMarkdownEnding(path.slice(root.length)).replace(/(^|\/)readme$/i, '$1'));

/** Returns the rewritten addresses of single pages. Pages that match a rewrite pattern keep their own address. */
const readRewrites = (configuration: DataValue, pages: string[], root: string): [string, string][] =>
  Object.entries(getObject(getValueAt(configuration, 'rewrites'))).flatMap(([from, to]): [string, string][] => {
    const path = normalizePath(`${root}${from}`);
    return typeof to === 'string' && pages.includes(path) ? [[getKey(`${root}${to}`, root), path]] : [];
  });

const getSidebar = (configuration: DataValue): DataValue =>
  getValueAt(configuration, 'themeConfig', 'sidebar') ??
  getValueAt(configuration, 'locales', 'root', 'themeConfig', 'sidebar') ??
  getValueAt(configuration, 'themeConfig', 'locales', '/', 'sidebar');

interface Listing {
  reader: SourceReader;
  file: string;
  root: string;
  pages: string[];
  addresses: Addresses;
}

async function getItems(
  reader: SourceReader,
  options: Omit<Listing, 'reader' | 'addresses'> & { sidebar: DataValue; site: Layout['site'] },
): Promise<Item[]> {
  const { root, pages, sidebar, file } = options;
  const listing: Listing = { reader, file, root, pages, addresses: new Addresses(options.site, reader.files) };
  const items = isObject(sidebar)
    ? readFolderItems(sidebar, listing)
    : getList(sidebar).flatMap((value) => getItem(value, '', listing));
  if (items.length > 0) return addUnlisted(items, pages, root);
  if (sidebar !== undefined && sidebar !== 'auto' && sidebar !== false)
    reader.warn(
      file,
      'The sidebar is computed by code, which is not run. Pages are ordered by folder and frontmatter.',
    );
  return collectFolderItems(reader, { root, pages });
}

/** Concatenates the sidebars of several folders. A sidebar that several folders share is added once. */
function readFolderItems(sidebars: DataValue, listing: Listing): Item[] {
  const seenPaths = new Set<string>();
  return Object.entries(isObject(sidebars) ? sidebars : {}).flatMap(([key, value]) => {
    const list = Array.isArray(value) ? value : getList(getValueAt(value, 'items'));
    const base = getTextAt(value, 'base') ?? '';
    if (list.length === 0)
      listing.reader.warn(listing.file, `The sidebar of ${toDisplayName(key)} is computed by code and was skipped.`);
    const items = list.flatMap((each) => getItem(each, base, listing));
    const text = JSON.stringify(items);
    if (seenPaths.has(text)) return [];
    seenPaths.add(text);
    return items;
  });
}

function getItem(value: DataValue, outerBase: string, listing: Listing): Item[] {
  if (typeof value === 'string') return createLinkItems(value, undefined, { base: outerBase, listing });
  if (Array.isArray(value))
    return createLinkItems(String(value[0]), getTextAt({ title: value[1] }, 'title'), { base: outerBase, listing });
  if (!isObject(value)) {
    listing.reader.warn(listing.file, 'A part of the sidebar is computed by code and was skipped.');
    return [];
  }
  const title = getTextAt(value, 'text') ?? getTextAt(value, 'title');
  const base = getTextAt(value, 'base') ?? outerBase;
  const link = getTextAt(value, 'link') ?? getTextAt(value, 'path');
  const inner = getList(getValueAt(value, 'items') ?? getValueAt(value, 'children'));
  const items = inner.flatMap((each) => getItem(each, base, listing));
  const isGroup = items.length > 0;
  const [linkItem] = link === undefined ? [] : createLinkItems(link, title, { base: outerBase, listing, isGroup });
  if (linkItem !== undefined) return [{ ...linkItem, items }];
  return isGroup || (title !== undefined && link === undefined)
    ? [{ type: 'group', title: title ?? 'Untitled', items }]
    : [];
}

function createLinkItems(
  link: string,
  title: string | undefined,
  { base, listing, isGroup }: { base: string; listing: Listing; isGroup?: boolean },
): Item[] {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return createLinkItem(link, title);
  const address = link.replace(/[?#].*$/s, '');
  const from = `${listing.root}index.md`;
  const candidates = base === '' || link.startsWith('/') ? [`/${address}`, address] : [`${base}${address}`];
  const path = candidates
    .map((each) => listing.addresses.findTarget(each.replace(/^\/\//, '/'), from))
    .find((each) => each !== undefined && listing.pages.includes(each));
  if (path !== undefined) return [createPageItem(path, title === undefined ? {} : { title })];
  warnAboutMissingFile(listing, { title, target: link, ...(isGroup !== undefined && { isGroup }) });
  return [];
}
