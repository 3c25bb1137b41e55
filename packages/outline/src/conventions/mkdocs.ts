import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, getTextAt, getValueAt, isObject } from '../data/read-data.ts';
import { createPageItem, type Item } from '../items.ts';
import { createIgnoreTest, getFolder, getName, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { addUnlisted, createLinkItem, getConfiguration, warnAboutMissingFile } from './load-configuration.ts';
import { createOutputLocations } from './places.ts';

interface Listing {
  reader: SourceReader;
  file: string;
  root: string;
  /** Whether the first page of a section becomes the section's own page, if the order gives it no title. */
  hasSectionPages: boolean;
}

/** Reads MkDocs: `nav` lists the pages of a folder. Without `nav`, the folders define the tree. */
export async function readMkdocs(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(
    reader,
    ['mkdocs', 'properdocs', 'zensical'].map((name) => `${name}\\.(?:ya?ml|toml)`),
  );
  if (file === undefined) return undefined;
  const configuration = await reader.readData(file);
  const root = `${normalizePath(`${getFolder(file)}${getTextAt(configuration, 'docs_dir') ?? 'docs'}`)}/`.replace(
    /^\/$/,
    '',
  );
  const isExcluded = createIgnoreTest(getTextAt(configuration, 'exclude_docs') ?? '');
  const pages = reader.pages.filter((path) => path.startsWith(root) && !isExcluded(path.slice(root.length)));
  if (pages.length === 0) return undefined;
  const features = getList(getValueAt(configuration, 'theme', 'features'));
  const listing: Listing = { reader, file, root, hasSectionPages: features.includes('navigation.indexes') };
  const nav = getValueAt(configuration, 'nav');
  const addresses = new Map(pages.map((path) => [getAddress(path, root), path]));
  const hasFolders = getValueAt(configuration, 'use_directory_urls') !== false;
  const items = getList(nav).flatMap((value) => getItems(value, listing));
  return {
    name: 'mkdocs',
    path: file,
    items: items.length > 0 ? addUnlisted(items, pages, root) : await collectFolderItems(reader, { root, pages }),
    parts: [],
    redirects: getRedirects(configuration, { file, root }),
    site: createPlainSite(getFolder(file), {
      base: getBasePath(getTextAt(configuration, 'site_url')),
      assets: [root],
      content: [root],
      pages: addresses,
    }),
    addresses: { style: hasFolders ? 'plain' : 'html', pages: addresses },
    outputLocations: createOutputLocations(root, { index: 'index.md', summary: undefined }),
  };
}

const getAddress = (path: string, root: string): string =>
  toAddressKey(removeMarkdownEnding(path.slice(root.length)).replace(/(^|\/)readme$/i, '$1'));

const getBasePath = (address = ''): string => URL.parse(address)?.pathname.replace(/\/*$/, '/') ?? '/';

/** An entry is the path of a page, or an object that maps one title to a page, an address or a list of entries. */
function getItems(value: DataValue, listing: Listing): Item[] {
  if (typeof value === 'string') return getLeaf(value, undefined, listing);
  return Object.entries(isObject(value) ? value : {}).flatMap(([title, inner]): Item[] => {
    if (typeof inner === 'string') return getLeaf(inner, title, listing);
    if (Array.isArray(inner)) return [getSection(title, inner, listing)];
    return inner === null ? [{ type: 'page', title, items: [] }] : [];
  });
}

function getSection(title: string, values: DataValue[], listing: Listing): Item {
  const [first] = values;
  const isPage = listing.hasSectionPages && typeof first === 'string' && /^(?:index|readme)\.md$/i.test(getName(first));
  const path = isPage ? normalizePath(`${listing.root}${first}`) : undefined;
  if (path === undefined || !listing.reader.files.has(path))
    return { type: 'group', title, items: values.flatMap((value) => getItems(value, listing)) };
  return { ...createPageItem(path, { title }), items: values.slice(1).flatMap((value) => getItems(value, listing)) };
}

function getLeaf(target: string, title: string | undefined, { reader, file, root }: Listing): Item[] {
  if (/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(target)) return createLinkItem(target, title);
  const path = normalizePath(`${root}${target}`);
  const pagePath = [path, `${path}/index.md`, `${path}/README.md`].find((each) => reader.files.has(each));
  if (pagePath !== undefined && reader.pages.includes(pagePath))
    return [createPageItem(pagePath, title === undefined ? {} : { title })];
  warnAboutMissingFile({ reader, file }, { title, target });
  return [];
}

function getRedirects(configuration: DataValue, { file, root }: { file: string; root: string }) {
  const plugin = getList(getValueAt(configuration, 'plugins')).map((value) =>
    getValueAt(value, 'redirects', 'redirect_maps'),
  );
  const maps = plugin.find(isObject) ?? {};
  return Object.entries(maps).flatMap(([sourcePath, target]) => {
    const source = `/${removeMarkdownEnding(sourcePath).replace(/(^|\/)index$/, '$1')}`;
    return typeof target === 'string' ? [{ source, target, from: root, file }] : [];
  });
}
