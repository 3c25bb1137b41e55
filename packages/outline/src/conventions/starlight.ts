import { addressKey } from '../addresses.ts';
import { withoutMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, isObject, NotPlain, textAt, valueAt } from '../data/read-data.ts';
import { type Item, pageItem } from '../items.ts';
import { getFolder, normalizePath, shownName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { folderItems } from './folders.ts';
import { type Layout, plainSite } from './layout.ts';
import { getConfiguration, isPart, linkItem, readPathAliases, withUnlisted } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';

interface Listing {
  reader: SourceReader;
  file: string;
  root: string;
  pages: string[];
  site: Layout['site'];
}

/** Reads Starlight: the pages are in `src/content/docs/`, the sidebar is in the Astro configuration. */
export async function readStarlight(reader: SourceReader): Promise<Layout | undefined> {
  const file = getConfiguration(reader, 'astro\\.config\\.[mc]?[jt]s');
  const above = file === undefined ? '' : getFolder(file);
  const root = `${above}src/content/docs/`;
  const inside = reader.pages.filter((path) => path.startsWith(root));
  if (inside.length === 0) return undefined;
  const pages = inside.filter((path) => !isPart(path, root));
  const configuration = file === undefined ? undefined : await reader.data(file);
  const site = plainSite(above, {
    base: textAt(configuration, 'base') ?? '/',
    assets: [`${above}public/`],
    content: [root],
    pages: await getAddresses(reader, pages, root),
    aliases: [...(await readPathAliases(reader, above)), ['~/', `${above}src/`], ['@/', `${above}src/`]],
  });
  const integrations = getList(valueAt(configuration, 'integrations'));
  const starlight = integrations.find((each) => each instanceof NotPlain && each.call === 'starlight');
  const sidebar = starlight instanceof NotPlain ? valueAt(starlight.args[0], 'sidebar') : undefined;
  return {
    name: 'starlight',
    ...(file !== undefined && { path: file }),
    items: await getTree(sidebar, { reader, file: file ?? root, root, pages, site }),
    parts: inside.filter((path) => isPart(path, root)),
    redirects: getRedirects(configuration, file ?? root),
    site,
    addresses: { style: 'plain', pages: site.pages },
    places: createSiteLocations(root, `${above}public/`, { base: withSlashes(site.base), titles: 'frontmatter' }),
  };
}

const withSlashes = (base: string): string => `/${base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');

async function getAddresses(reader: SourceReader, pages: string[], root: string): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  for (const path of pages) {
    const slug = textAt(await reader.fields(path), 'slug');
    const own = withoutMarkdownEnding(path.slice(root.length));
    for (const each of [slug ?? own.toLowerCase().replace(/[ ]+/g, '-'), own]) {
      if (!addresses.has(addressKey(each))) addresses.set(addressKey(each), path);
    }
  }
  return addresses;
}

async function getTree(sidebar: DataValue, listing: Listing): Promise<Item[]> {
  const { reader, file, root, pages } = listing;
  if (!Array.isArray(sidebar)) {
    if (sidebar !== undefined)
      reader.warn(file, 'The sidebar is not plain data. The order was taken from the folders and the frontmatter.');
    return folderItems(reader, { root, pages });
  }
  const items: Item[] = [];
  for (const each of sidebar) items.push(...(await getItems(each, listing)));
  return withUnlisted(items, pages, root);
}

async function getItems(given: DataValue, listing: Listing): Promise<Item[]> {
  const { reader, file, root, pages } = listing;
  if (typeof given === 'string') return getPage(given, undefined, listing);
  if (!isObject(given)) {
    reader.warn(file, 'A part of the sidebar is not plain data and was skipped.');
    return [];
  }
  const label = textAt(given, 'label');
  const address = textAt(given, 'slug') ?? textAt(given, 'link');
  if (address !== undefined) return getPage(address, label, listing);
  const folder = textAt(given, 'autogenerate', 'directory');
  const start = folder === undefined ? undefined : `${normalizePath(`${root}${folder}`)}/`;
  const items: Item[] = [];
  if (start !== undefined)
    items.push(...(await folderItems(reader, { root: start, pages: pages.filter((path) => path.startsWith(start)) })));
  for (const each of getList(valueAt(given, 'items'))) items.push(...(await getItems(each, listing)));
  return label === undefined ? items : [{ type: 'group', title: label, items }];
}

function getPage(address: string, title: string | undefined, { reader, file, site }: Listing): Item[] {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return linkItem(address, title);
  const path = site.pages.get(addressKey(address.replace(/[?#].*$/s, '')));
  if (path !== undefined) return [pageItem(path, title === undefined ? {} : { title })];
  reader.warn(file, `The sidebar lists ${shownName(address)}, which is not a page.`);
  return [];
}

function getRedirects(configuration: DataValue, file: string): Layout['redirects'] {
  const redirects = valueAt(configuration, 'redirects');
  if (!isObject(redirects)) return [];
  return Object.entries(redirects).flatMap(([source, given]) => {
    const target = textAt({ given }, 'given') ?? textAt(given, 'destination');
    return target === undefined ? [] : [{ source, target, from: getFolder(file), file }];
  });
}
