import type { SourceReader } from '../reader.ts';
import type { RepositoryOptions } from '../repository.ts';
import { readBook } from './books.ts';
import { folderItems } from './folders.ts';
import { type Layout, plainSite } from './layout.ts';

/** The layout of a repository by the first convention that it follows, with what the caller knows better. */
export async function readLayout(reader: SourceReader, { assets = [], base }: RepositoryOptions): Promise<Layout> {
  const layout = (await readBook(reader)) ?? (await readFolders(reader));
  const given = assets.map((folder) => `${folder.replace(/^\.?\/+|\/+$/g, '')}/`.replace(/^\/$/, ''));
  const known = ['static/', 'public/', 'docs/public/', '.vuepress/public/', 'docs/.vuepress/public/'];
  const site = { ...layout.site, assets: [...given, ...layout.site.assets, ...known] };
  if (base !== undefined) site.base = `/${base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  return { ...layout, site };
}

async function readFolders(reader: SourceReader): Promise<Layout> {
  const items = await folderItems(reader, { root: '', pages: reader.pages });
  return { name: 'folders', items, parts: [], redirects: [], site: plainSite('') };
}
