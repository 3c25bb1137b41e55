import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMarkdown, isOrdinary, type OutlineSource } from '@octavo/outline';
import { Failure } from '../failure.ts';
import { maxEntries, maxTotalBytes } from './limits.ts';

/** The files of a folder; symbolic links are not followed, node_modules and most of what is hidden are left out. */
export async function readFolder(folder: string): Promise<OutlineSource> {
  const root = path.resolve(folder);
  const sizes = new Map<string, number>();
  const unread: string[] = [];
  let total = 0;
  const queue = [''];
  for (const directory of queue) {
    for (const entry of await readdir(path.join(root, directory), { withFileTypes: true })) {
      const relative = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (!isOrdinary(relative) || !(entry.isDirectory() || entry.isFile())) {
        unread.push(entry.isDirectory() ? `${relative}/` : relative);
        continue;
      }
      if (entry.isDirectory()) queue.push(relative);
      if (!entry.isFile()) continue;
      const { size } = await stat(path.join(root, relative));
      sizes.set(relative, size);
      if (isMarkdown(relative)) total += size;
      if (sizes.size > maxEntries) throw new Failure(`The folder ${folder} holds more than ${maxEntries} files.`);
      if (total > maxTotalBytes) throw new Failure(`The markdown in ${folder} has more than ${maxTotalBytes} bytes.`);
    }
  }
  return {
    name: path.basename(root),
    paths: [...sizes.keys()],
    unread,
    sizeOf: (file) => sizes.get(file) ?? 0,
    read: (file) => readFile(path.join(root, file)),
  };
}
