import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { type DataValue, getList, getTextAt, getValueAt, isObject, NotPlain } from '../data/read-data.ts';
import { createPageItem, type Item } from '../items.ts';
import { getFolder, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import {
  addUnlisted,
  createLinkItem,
  getConfiguration,
  isPart,
  readPathAliases,
  warnAboutMissingFile,
} from './load-configuration.ts';
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
  const siteRoot = file === undefined ? '' : getFolder(file);
  const root = `${siteRoot}src/content/docs/`;
  const inside = reader.pages.filter((path) => path.startsWith(root));
  if (inside.length === 0) return undefined;
  const pages = inside.filter((path) => !isPart(path, root));
  const configuration = file === undefined ? undefined : await reader.readData(file);
  const site = createPlainSite(siteRoot, {
    base: getTextAt(configuration, 'base') ?? '/',
    assets: [`${siteRoot}public/`],
    content: [root],
    pages: await getAddresses(reader, pages, root),
    aliases: [...(await readPathAliases(reader, siteRoot)), ['~/', `${siteRoot}src/`], ['@/', `${siteRoot}src/`]],
  });
  const integrations = getList(getValueAt(configuration, 'integrations'));
  const starlight = integrations.find((value) => value instanceof NotPlain && value.call === 'starlight');
  const sidebar = starlight instanceof NotPlain ? getValueAt(starlight.args[0], 'sidebar') : undefined;
  return {
    name: 'starlight',
    ...(file !== undefined && { path: file }),
    items: await getTree(sidebar, { reader, file: file ?? root, root, pages, site }),
    parts: inside.filter((path) => isPart(path, root)),
    redirects: getRedirects(configuration, file ?? root),
    site,
    addresses: { style: 'plain', pages: site.pages },
    outputLocations: createSiteLocations(root, `${siteRoot}public/`, {
      base: addSlashes(site.base),
      titles: 'frontmatter',
    }),
  };
}

const addSlashes = (base: string): string => `/${base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');

async function getAddresses(reader: SourceReader, pages: string[], root: string): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  for (const path of pages) {
    const slug = getTextAt(await reader.readFields(path), 'slug');
    const address = removeMarkdownEnding(path.slice(root.length));
    for (const each of [slug ?? address.toLowerCase().replace(/[ ]+/g, '-'), address]) {
      if (!addresses.has(toAddressKey(each))) addresses.set(toAddressKey(each), path);
    }
  }
  return addresses;
}

async function getTree(sidebar: DataValue, listing: Listing): Promise<Item[]> {
  const { reader, file, root, pages } = listing;
  if (!Array.isArray(sidebar)) {
    if (sidebar !== undefined)
      reader.warn(
        file,
        'The sidebar is computed by code, which is not run. Pages are ordered by folder and frontmatter.',
      );
    return collectFolderItems(reader, { root, pages });
  }
  const items: Item[] = [];
  for (const value of sidebar) items.push(...(await getItems(value, listing)));
  return addUnlisted(items, pages, root);
}

async function getItems(value: DataValue, listing: Listing): Promise<Item[]> {
  const { reader, file, root, pages } = listing;
  if (typeof value === 'string') return getPage(value, undefined, listing);
  if (!isObject(value)) {
    reader.warn(file, 'A part of the sidebar is computed by code and was skipped.');
    return [];
  }
  const label = getTextAt(value, 'label');
  const address = getTextAt(value, 'slug') ?? getTextAt(value, 'link');
  if (address !== undefined) return getPage(address, label, listing);
  const folder = getTextAt(value, 'autogenerate', 'directory');
  const start = folder === undefined ? undefined : `${normalizePath(`${root}${folder}`)}/`;
  const items: Item[] = [];
  if (start !== undefined)
    items.push(
      ...(await collectFolderItems(reader, { root: start, pages: pages.filter((path) => path.startsWith(start)) })),
    );
  for (const each of getList(getValueAt(value, 'items'))) items.push(...(await getItems(each, listing)));
  return label === undefined ? items : [{ type: 'group', title: label, items }];
}

function getPage(address: string, title: string | undefined, { reader, file, site }: Listing): Item[] {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return createLinkItem(address, title);
  const path = site.pages.get(toAddressKey(address.replace(/[?#].*$/s, '')));
  if (path !== undefined) return [createPageItem(path, title === undefined ? {} : { title })];
  warnAboutMissingFile({ reader, file }, { title, target: address });
  return [];
}

function getRedirects(configuration: DataValue, file: string): Layout['redirects'] {
  const redirects = getValueAt(configuration, 'redirects');
  if (!isObject(redirects)) return [];
  return Object.entries(redirects).flatMap(([source, destination]) => {
    const target = getTextAt({ given: destination }, 'given') ?? getTextAt(destination, 'destination');
    return target === undefined ? [] : [{ source, target, from: getFolder(file), file }];
  });
}
