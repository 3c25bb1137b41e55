import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently } from '@octavo/client';
import { writeSummary } from '@octavo/document';
import { type Api, type Connection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { type Present, presentTree, walkPresent } from '../import/present.ts';
import { fileNames } from './file-names.ts';
import { summaryOfTree } from './summary-of-tree.ts';

const concurrency = 8;

export interface ExportOptions {
  api: Connection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty; files that are in the way are replaced. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/** Writes the pages of a space as markdown files, byte for byte, and a SUMMARY.md that an import reads back. */
export async function exportSpace({ api: connection, space, folder, force, onProgress }: ExportOptions) {
  if (!force && (await listFolder(folder)).length > 0) {
    throw new Failure(`The folder ${folder} is not empty; --force writes into it nevertheless.`);
  }
  const api = connect(connection);
  const { revision } = await api.getSpaceById({ params: { spaceId: space } });
  const version = { spaceId: space, revisionId: revision };
  const { pages: all } = await api.listPagesInRevisionById({ params: version });
  const pages = presentTree(all);
  const names = fileNames(pages);
  const withFile = [...walkPresent(pages)].filter((page) => names.has(page.id));
  let done = 0;
  const texts = await mapConcurrently(withFile, concurrency, async (page) => {
    const text = await readMarkdown(api, version, page);
    done += 1;
    onProgress?.(done, withFile.length);
    return { id: page.id, isEmpty: text === '' && !page.git, path: names.get(page.id) ?? '', text };
  });
  const files = new Map(texts.filter(({ isEmpty }) => !isEmpty).map(({ id, ...file }) => [id, file]));
  for (const file of files.values()) await write(folder, file.path, file.text);
  await write(folder, 'SUMMARY.md', writeSummary(summaryOfTree(pages, files)));
  return { pages: files.size };
}

async function readMarkdown(
  api: Api,
  version: { spaceId: string; revisionId: string },
  { id }: Present,
): Promise<string> {
  const page = await api.getPageInRevisionById({ params: { ...version, pageId: id } });
  return page.type === 'document' ? (page.markdown ?? '') : '';
}

async function write(folder: string, file: string, text: string): Promise<void> {
  const target = path.join(folder, ...file.split('/'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new Failure(`The folder ${folder} cannot be read.`);
  }
}
