import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ArchiveError, createArchiveSource, readArchive } from '@octavo/archive';
import { isDocsPath, isMarkdown, type OutlineSource, type Repository } from '@octavo/outline';
import { maxDocumentBytes } from '@octavo/schema';
import { Failure } from '../failure.ts';

/** Limits of one imported folder or archive. */
export const maxEntries = 20_000;
export const maxTotalBytes = 512 * 1024 * 1024;

/** Reads the files of a folder. Symbolic links are not followed; node_modules and most hidden files are omitted. */
export async function readFolder(folder: string): Promise<OutlineSource> {
  const root = path.resolve(folder);
  const sizes = new Map<string, number>();
  const unreadableFiles: string[] = [];
  let total = 0;
  const queue = [''];
  for (const directory of queue) {
    for (const entry of await readdir(path.join(root, directory), { withFileTypes: true })) {
      const relative = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (!isDocsPath(relative) || !(entry.isDirectory() || entry.isFile())) {
        unreadableFiles.push(entry.isDirectory() ? `${relative}/` : relative);
        continue;
      }
      if (entry.isDirectory()) queue.push(relative);
      if (!entry.isFile()) continue;
      const { size } = await stat(path.join(root, relative));
      sizes.set(relative, size);
      if (isMarkdown(relative)) total += size;
      if (sizes.size > maxEntries) throw new Failure(`The folder ${folder} has more than ${maxEntries} files.`);
      if (total > maxTotalBytes) throw new Failure(`The markdown in ${folder} has more than ${maxTotalBytes} bytes.`);
    }
  }
  return {
    name: path.basename(root),
    paths: [...sizes.keys()],
    unreadablePaths: unreadableFiles,
    getSize: (file) => sizes.get(file) ?? 0,
    read: (file) => readFile(path.join(root, file)),
  };
}

/**
 * Reads the files of a zip archive. The single top-level folder that archives of repositories have is stripped.
 * @throws Failure
 */
export async function readZip(file: string): Promise<OutlineSource> {
  if ((await stat(file)).size > maxTotalBytes)
    throw new Failure(`The archive ${file} is larger than ${maxTotalBytes} bytes.`);
  const bytes = new Uint8Array(await readFile(file));
  try {
    const archive = await readArchive(bytes, {
      entries: maxEntries,
      totalBytes: maxTotalBytes,
      takes: isDocsPath,
      counts: (name, size) => isMarkdown(name) && size <= maxDocumentBytes,
    });
    return createArchiveSource(archive, path.basename(file).replace(/\.zip$/i, ''));
  } catch (error) {
    if (error instanceof ArchiveError) throw new Failure(`The archive ${file} ${error.problem}.`);
    throw error;
  }
}

/** Reads the files of a folder or a zip archive. @throws Failure */
export async function readSource(file: string): Promise<OutlineSource> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats) throw new Failure(`The folder or archive ${file} does not exist.`);
  return stats.isDirectory() ? readFolder(file) : readZip(file);
}

/** Returns the Git blob ID of a file's content. */
export const hashBlob = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** A problem of an import. `failed` items could not be imported, `skipped` items were left out on purpose. */
export type ImportProblem = Repository['problems'][number];
