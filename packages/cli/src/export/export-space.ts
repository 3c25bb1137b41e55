import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently, paginate } from '@octavo/client';
import { writeSummary } from '@octavo/outline';
import type { File } from '@octavo/schema';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { type Present, presentTree, walkPresent } from '../import/present.ts';
import { fileNames } from './file-names.ts';
import { withRelativeTargets } from './relative-targets.ts';
import { summaryOfTree } from './summary-of-tree.ts';

const concurrency = 8;

export interface ExportOptions {
  api: ApiConnection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty; files that are in the way are replaced. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes the pages of a space as markdown files, its other files beside them, and a SUMMARY.md that an import reads back.
 * Texts are written byte for byte, but for targets that name a page or a file by its id, or
 * that lead elsewhere by now: they become relative paths.
 */
export async function exportSpace({ api: connection, space, folder, force, onProgress }: ExportOptions) {
  if (!force && (await listFolder(folder)).length > 0) {
    throw new Failure(`The folder ${folder} is not empty; --force writes into it nevertheless.`);
  }
  const api = connect(connection);
  const { revision } = await api.getSpaceById({ params: { spaceId: space } });
  const version = { spaceId: space, revisionId: revision };
  const { pages: all } = await api.listPagesInRevisionById({ params: version, query: { computed: 'false' } });
  const pages = presentTree(all);
  const files = await listFiles(api, version);
  const names = fileNames(pages, files);
  const withFile = [...walkPresent(pages)].filter((page) => names.has(page.id));
  const total = withFile.length + files.length;
  let done = 0;
  const tick = () => {
    done += 1;
    onProgress?.(done, total);
  };
  const texts = await mapConcurrently(withFile, concurrency, async (page) => {
    const read = await readText(api, version, page);
    tick();
    return { id: page.id, isEmpty: read.text === '' && !page.git, path: names.get(page.id) ?? '', ...read };
  });
  const written = new Map(texts.filter(({ isEmpty }) => !isEmpty).map(({ id, ...file }) => [id, file]));
  const paths = new Map([...names].filter(([id]) => written.has(id) || files.some((file) => file.id === id)));
  for (const page of written.values()) await write(folder, page.path, withRelativeTargets(page, paths));
  for (const file of files) {
    await write(folder, names.get(file.id) ?? '', await download(file));
    tick();
  }
  await write(folder, 'SUMMARY.md', writeSummary(summaryOfTree(pages, written)));
  return { pages: written.size, files: files.length };
}

type Version = { spaceId: string; revisionId: string };

async function listFiles(api: Api, params: Version): Promise<File[]> {
  const files: File[] = [];
  const pages = paginate((page) => api.listFilesInRevisionById({ params, query: { limit: '1000', page } }));
  for await (const file of pages) files.push(file);
  return files;
}

async function download({ name, downloadURL }: File): Promise<Uint8Array> {
  const answer = await fetch(downloadURL);
  if (!answer.ok) throw new Failure(`The file ${name} cannot be read: the server answered ${answer.status}.`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function readText(api: Api, version: Version, { id }: Present) {
  const page = await api.getPageInRevisionById({ params: { ...version, pageId: id } });
  if (page.type !== 'document') return { text: '', links: undefined, meant: undefined };
  return { text: page.markdown ?? '', links: page.links, meant: page.git?.links };
}

async function write(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const target = path.join(folder, ...file.split('/'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new Failure(`The folder ${folder} cannot be read.`);
  }
}
