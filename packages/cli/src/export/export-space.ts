import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { readFolder } from '../source/read-folder.ts';
import { type ExportedSpace, exportedFiles } from './exported.ts';
import { download, type Exported, readSpace } from './read-space.ts';

export interface ExportOptions {
  api: ApiConnection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty; files that are in the way are replaced. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/** Writes the pages of a space as markdown files, with all else that it holds, so that an import reads back the same. */
export async function exportSpace({
  api: connection,
  space,
  folder,
  force,
  onProgress,
}: ExportOptions): Promise<ExportedSpace> {
  const isEmpty = (await listFolder(folder)).length === 0;
  if (!force && !isEmpty) {
    throw new Failure(`The folder ${folder} is not empty; --force writes into it nevertheless.`);
  }
  const api = connect(connection);
  const target = isEmpty ? undefined : await readFolder(folder);
  const content = await readSpace(api, space, undefined, target && { blobs: new Set(target.paths), source: target });
  const total = content.names.size;
  let done = 0;
  const onRead = () => {
    done += 1;
    onProgress?.(done, total);
  };
  const exported = await exportedFiles(api, content, { onRead, ...(target && { target }) });
  for (const [at, file] of exported.files) {
    await write(folder, at, await bytesOf(file));
    if ('file' in file) onRead();
  }
  return exported;
}

/** What is to be written. */
export const bytesOf = async (exported: Exported): Promise<string | Uint8Array> =>
  'text' in exported ? exported.text : download(exported.file);

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
