import type { SourceReader } from '../reader.ts';
import type { RepositoryOptions } from '../repository.ts';
import { readBook, readGitbookFolder, readInnerSummary } from './books.ts';
import { readDocusaurus } from './docusaurus.ts';
import { collectFolderItems } from './folders.ts';
import { readGitbookSite } from './gitbook-site.ts';
import { readHugo } from './hugo.ts';
import { readJekyll } from './jekyll.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { readMkdocs } from './mkdocs.ts';
import { createOutputLocations } from './places.ts';
import { readStarlight } from './starlight.ts';
import { readVitepress } from './vitepress.ts';

/** Returns the layout of a repository by the first matching convention. Options of the caller take precedence. */
export async function readLayout(reader: SourceReader, { assets = [], base }: RepositoryOptions): Promise<Layout> {
  const layout = await readFirstLayout(reader);
  const assetFolders = assets.map((folder) => `${folder.replace(/^\.?\/+|\/+$/g, '')}/`.replace(/^\/$/, ''));
  const site = { ...layout.site, assets: [...assetFolders, ...layout.site.assets] };
  if (base !== undefined) site.base = `/${base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  return { ...layout, site };
}

/**
 * A GitBook site takes precedence, then a summary. The other conventions are recognized by their configuration files.
 */
const conventions = [
  readGitbookSite,
  readBook,
  readDocusaurus,
  readVitepress,
  readStarlight,
  readMkdocs,
  readHugo,
  readJekyll,
  readGitbookFolder,
  readInnerSummary,
];

async function readFirstLayout(reader: SourceReader): Promise<Layout> {
  for (const readConvention of conventions) {
    const layout = await readConvention(reader);
    if (layout !== undefined) return layout;
  }
  return readFolders(reader);
}

async function readFolders(reader: SourceReader): Promise<Layout> {
  const items = await collectFolderItems(reader, { root: '', pages: reader.pages });
  return {
    name: 'folders',
    items,
    parts: [],
    redirects: [],
    site: createPlainSite('', { content: ['', 'docs/', 'content/', 'src/'] }),
    outputLocations: createOutputLocations(''),
  };
}
