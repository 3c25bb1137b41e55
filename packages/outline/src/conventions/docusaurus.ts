import { type DataValue, getList, getTextAt, getValueAt, readTexts } from '../data/read-data.ts';
import { parseNumberedName } from '../fields.ts';
import { getPageName, nameToSlug, nameToTitle } from '../frontmatter-fields.ts';
import { type Item, walkItems } from '../items.ts';
import { getFolder, getMatcher, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { findUnlisted, getConfiguration, isPart } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';
import { postItems } from './posts.ts';
import { DocIds, readSidebarItems } from './sidebars.ts';

/** A docs folder and its settings in the configuration. */
interface DocsFolder {
  path: string;
  route: string;
  sidebar: DataValue;
  exclude: DataValue;
}

/** Reads Docusaurus: the configuration names docs folders, each with sidebars, and a blog. */
export async function readDocusaurus(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, 'docusaurus\\.config\\.[mc]?[jt]s');
  if (file === undefined) return undefined;
  const configuration = (await reader.readData(file)) ?? {};
  const root = getFolder(file);
  const options = getPreset(configuration);
  const folders = getFolders(configuration, options, root).filter(({ path }) =>
    reader.pages.some((each) => each.startsWith(path)),
  );
  if (folders.length === 0) return undefined;
  const site = createPlainSite(root, {
    base: getTextAt(configuration, 'baseUrl') ?? '/',
    assets: [`${root}static/`],
    content: [root, ...folders.map(({ path }) => path)],
    aliases: [['@site/', root]],
  });
  const items: Item[] = [];
  const orders: string[] = [];
  for (const folder of folders) {
    const docs = await getDocs(reader, { folder, configuration, file, site });
    items.push(...docs.items);
    if (docs.path !== undefined) orders.push(docs.path);
  }
  const docsFolders = folders.map(({ path }) => path);
  for (const path of reader.source.paths)
    if (pageMetadataFile.test(path) && path.startsWith(root)) reader.configuration.add(path);
  items.push(...(await readBlog(reader, { options, root, site })), ...findPlainPages(reader, root, site));
  return {
    name: 'docusaurus',
    path: orders[0] ?? file,
    items,
    parts: reader.pages.filter((path) => docsFolders.some((folder) => path.startsWith(folder) && isPart(path, folder))),
    redirects: [],
    site,
    addresses: { style: 'plain', pages: site.pages },
    outputLocations: createSiteLocations(docsFolders[0] ?? root, `${root}static/`, { isOwnNamed: true }),
    reasons: [
      [`${root}versioned_docs/`, 'Older versions were skipped. To import one, import its folder separately.'],
      [`${root}i18n/`, 'Translations were skipped. To import one, import its folder separately.'],
    ],
  };
}

/** Files that describe the pages next to them, whether the import uses them or not. */
const pageMetadataFile = /(?:^|\/)(?:_category_\.(?:json|ya?ml)|(?:authors|tags)\.ya?ml)$/;

type Site = Layout['site'];

/** Returns the options of the classic preset. Other presets are not supported. */
function getPreset(configuration: DataValue): DataValue {
  const presets = getList(getValueAt(configuration, 'presets')).map(getList);
  return presets.find(([name]) => typeof name === 'string' && /(?:^|\/)(?:preset-)?classic$/.test(name))?.[1];
}

function getFolders(configuration: DataValue, options: DataValue, root: string): DocsFolder[] {
  const plugins = getList(getValueAt(configuration, 'plugins'))
    .map(getList)
    .filter(([name]) => typeof name === 'string' && /content-docs$/.test(name))
    .map(([, option]) => option);
  const main = getValueAt(options, 'docs');
  return [...(main === false ? [] : [main]), ...plugins].map((option) => {
    const path = normalizePath(`${root}${getTextAt(option, 'path') ?? 'docs'}`);
    const route = getTextAt(option, 'routeBasePath') ?? 'docs';
    return {
      path: `${path}/`,
      route: normalizePath(route),
      sidebar: getValueAt(option, 'sidebarPath'),
      exclude: getValueAt(option, 'exclude'),
    };
  });
}

interface DocsLocation {
  folder: DocsFolder;
  configuration: DataValue;
  file: string;
  site: Site;
}

/** Returns the tree of a docs folder and the file that defines it. Without such a file, the folders define the tree. */
async function getDocs(reader: SourceReader, location: DocsLocation): Promise<{ items: Item[]; path?: string }> {
  const { folder, file, site } = location;
  const isExcluded = getMatcher(readTexts(folder.exclude));
  const pages = reader.pages.filter(
    (path) => path.startsWith(folder.path) && !isPart(path, folder.path) && !isExcluded(path.slice(folder.path.length)),
  );
  const ids = await DocIds.create(reader, { pages, root: folder.path, route: folder.route });
  for (const [address, path] of ids.addresses) site.pages.set(address, path);
  const order = await getSidebars(reader, folder, file);
  if (order === undefined)
    return { items: await collectFolderItems(reader, { root: folder.path, pages, isNumbered: true }) };
  const items: Item[] = [];
  const entries = Object.entries(order.sidebars);
  for (const [name, sidebar] of entries) {
    const sidebarEntries = await readSidebarItems(sidebar, { reader, ids, root: folder.path, pages, file: order.path });
    if (entries.length === 1) items.push(...sidebarEntries);
    else items.push({ type: 'group', title: getSidebarTitle(location.configuration, name), items: sidebarEntries });
  }
  return { items: removeNumbers([...items, ...findUnlisted(pages, items)]), path: order.path };
}

/** Removes number prefixes of file names from slugs, however the page was added to the tree. */
function removeNumbers(items: Item[]): Item[] {
  for (const item of walkItems(items)) {
    if (item.type !== 'page' || item.path === undefined) continue;
    const { number, rest } = parseNumberedName(getPageName(item.path));
    if (number === undefined) continue;
    item.slug ??= nameToSlug(rest);
    item.fallbackTitle ??= nameToTitle(rest);
  }
  return items;
}

/** Returns the label of a sidebar in the navbar, or its name as words. */
function getSidebarTitle(configuration: DataValue, name: string): string {
  const bar = getList(getValueAt(configuration, 'themeConfig', 'navbar', 'items'));
  const label = bar.map((item) => (getTextAt(item, 'sidebarId') === name ? getTextAt(item, 'label') : undefined));
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[-_\s]+/g, ' ')
    .replace(/ ?sidebar$/i, '');
  return label.find((each) => each !== undefined) ?? (words === '' ? name : words[0]?.toUpperCase() + words.slice(1));
}

const scriptEndings = ['js', 'ts', 'json', 'cjs', 'mjs', 'mts', 'cts'];

async function getSidebars(reader: SourceReader, { sidebar }: DocsFolder, file: string) {
  if (sidebar === undefined || sidebar === false) return undefined;
  const root = getFolder(file);
  const guesses = scriptEndings.map((ending) => `${root}sidebars.${ending}`);
  const paths = typeof sidebar === 'string' ? [normalizePath(`${root}${sidebar}`)] : [];
  const path = [...paths, ...guesses].find((each) => reader.files.has(each));
  const sidebars = path === undefined ? undefined : await reader.readData(path);
  if (path === undefined || sidebars === undefined || Object.keys(sidebars).length === 0) {
    reader.warn(
      path ?? file,
      'The sidebars are computed by code, which is not run. Pages are ordered by folder and frontmatter.',
    );
    return undefined;
  }
  return { path, sidebars };
}

async function readBlog(
  reader: SourceReader,
  { options, root, site }: { options: DataValue; root: string; site: Site },
): Promise<Item[]> {
  const blogOption = getValueAt(options, 'blog');
  if (blogOption === false) return [];
  const folder = `${normalizePath(`${root}${getTextAt(blogOption, 'path') ?? 'blog'}`)}/`;
  const route = normalizePath(getTextAt(blogOption, 'routeBasePath') ?? 'blog');
  const pages = reader.pages.filter((path) => path.startsWith(folder) && !isPart(path, folder));
  const items = await postItems(reader, { pages, folder, route, addresses: site.pages });
  return items.length === 0 ? [] : [{ type: 'group', title: getTextAt(blogOption, 'blogTitle') ?? 'Blog', items }];
}

/** Returns the markdown files in the site's `src/pages`. */
function findPlainPages(reader: SourceReader, root: string, site: Site): Item[] {
  const folder = `${root}src/pages/`;
  const pages = reader.pages.filter((path) => path.startsWith(folder) && !isPart(path, folder));
  return pages.map((path) => {
    const address = path.slice(folder.length).replace(/\.\w+$/, '');
    site.pages.set(address.replace(/(?:^|\/)index$/, ''), path);
    return { type: 'page', path, items: [] };
  });
}
