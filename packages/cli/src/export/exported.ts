import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ExportedSpace, exportFiles, getBytes, readSpace } from '@octavo/space-files';
import { type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { readFolder } from '../import/source.ts';

export interface ExportOptions {
  api: ApiConnection;
  space: string;
  folder: string;
  /** Writes into a folder that is not empty. Existing files with the same paths are overwritten. */
  force?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes the pages of a space as markdown files, with all other content, so that an import reads back the same content.
 */
export async function exportSpace({
  api: connection,
  space,
  folder,
  force,
  onProgress,
}: ExportOptions): Promise<ExportedSpace> {
  const isEmpty = (await listFolder(folder)).length === 0;
  if (!force && !isEmpty) {
    throw new Failure(`The folder ${folder} is not empty. Use --force to write to it anyway.`);
  }
  const api = connect(connection);
  const target = isEmpty ? undefined : await readFolder(folder);
  const content = await readSpace(api, space, undefined, target && { blobs: new Set(target.paths), source: target });
  const total = content.names.size;
  let exportedCount = 0;
  const onRead = () => {
    exportedCount += 1;
    onProgress?.(exportedCount, total);
  };
  const exported = await exportFiles(api, content, { onRead, ...(target && { target }) });
  for (const [path, file] of exported.files) {
    await writeOutput(folder, path, await getBytes(file));
    if ('file' in file) onRead();
  }
  return exported;
}

async function writeOutput(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const target = path.join(folder, ...file.split('/'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new Failure(`The folder ${folder} could not be read.`);
  }
}
