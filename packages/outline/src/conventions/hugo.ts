import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { getList, getTextAt, getValueAt } from '../data/read-data.ts';
import { getFolder, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { getConfiguration } from './load-configuration.ts';
import { createSiteLocations } from './places.ts';

/** The file names that only Hugo uses precede the names that other programs use too. */
const names = ['hugo', 'config/_default/hugo', 'config', 'config/_default/config'].flatMap((name) =>
  ['toml', 'ya?ml', 'json'].map((ending) => `${name}\\.${ending}`),
);

/** Reads Hugo: the folders of `content/`, ordered by the weights of their pages. */
export async function readHugo(reader: SourceReader): Promise<Layout | undefined> {
  const hasContent = (root: string) => reader.pages.some((path) => path.startsWith(`${root}content/`));
  const file = getConfiguration(reader, names, (path, root) => /hugo\.\w+$/.test(path) || hasContent(root));
  if (file === undefined) return undefined;
  const siteRoot = getFolder(file).replace(/config\/_default\/$/, '');
  const configuration = await reader.readData(file);
  const content = `${normalizePath(`${siteRoot}${getTextAt(configuration, 'contentDir') ?? 'content'}`)}/`;
  const pages = reader.pages.filter((path) => path.startsWith(content));
  if (pages.length === 0) return undefined;
  const root = findOnlyFolder(pages, content);
  const files = `${siteRoot}${getTextAt(configuration, 'staticDir') ?? 'static'}/`;
  const site = createPlainSite(siteRoot, {
    base: URL.parse(getTextAt(configuration, 'baseURL') ?? getTextAt(configuration, 'baseurl') ?? '')?.pathname ?? '/',
    assets: [files, `${siteRoot}assets/`],
    content: [root, content],
  });
  const redirects = await recordAddresses(reader, pages, { site, content, root });
  return {
    name: 'hugo',
    path: file,
    items: await collectFolderItems(reader, { root, pages }),
    parts: [],
    redirects,
    site,
    addresses: { style: getValueAt(configuration, 'uglyURLs') === true ? 'html' : 'plain', pages: site.pages },
    outputLocations: createSiteLocations(root, files, {
      index: '_index.md',
      base: `${site.base}/`.replace('//', '/'),
      titles: 'frontmatter',
    }),
  };
}

interface Content {
  site: Layout['site'];
  content: string;
  root: string;
}

/** Records the addresses of pages and returns their aliases. */
async function recordAddresses(reader: SourceReader, pages: string[], { site, content, root }: Content) {
  const redirects: Layout['redirects'] = [];
  for (const path of pages) {
    const fields = await reader.readFields(path);
    const slug = getTextAt(fields, 'slug');
    const addresses = [content, root].flatMap((folder) => {
      const own = removeMarkdownEnding(path.slice(folder.length)).replace(/(^|\/)_?index$/i, '$1');
      const named = slug === undefined ? own : `${getFolder(own.replace(/\/$/, ''))}${slug}`;
      return [named.toLowerCase(), own];
    });
    for (const address of [getTextAt(fields, 'url') ?? [], ...addresses].flat()) {
      const key = toAddressKey(removeMarkdownEnding(address));
      if (!site.pages.has(key)) site.pages.set(key, path);
    }
    for (const source of getList(getValueAt(fields, 'aliases')))
      if (typeof source === 'string')
        redirects.push({ source: `/${normalizePath(source)}`, target: `/${path}`, from: '', file: path });
  }
  return redirects;
}

/** Returns the language folder if all content is in one. */
function findOnlyFolder(pages: string[], content: string): string {
  const [, folder] = /^([^/]+)\//.exec(pages[0]?.slice(content.length) ?? '') ?? [];
  const root = `${content}${folder}/`;
  return folder !== undefined &&
    /^[a-z]{2,3}(?:-[a-z\d]{2,4})?$/i.test(folder) &&
    pages.every((path) => path.startsWith(root))
    ? root
    : content;
}
