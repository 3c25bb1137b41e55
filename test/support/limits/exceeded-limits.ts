import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';

/** The inode of the log that was searched last, and the number of searched bytes, by data folder. */
const searched = new Map<string, { inode: number; size: number }>();

/** Returns the bytes of a log that were not searched before, and its state. */
function readNewBytes(name: string, former: { inode: number; size: number } | undefined) {
  const file = openSync(name, 'r');
  try {
    const { ino: inode, size } = fstatSync(file);
    const start = former?.inode === inode && former.size <= size ? former.size : 0;
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    return { inode, size, start, bytes };
  } finally {
    closeSync(file);
  }
}

/** Returns the messages about exceeded limits that were logged since the last call, also in a log rotated since then. */
export function findExceededLimits(dataDir: string): string[] {
  const former = searched.get(dataDir);
  const name = path.join(dataDir, 'octavo.log');
  const { inode, size, start, bytes } = readNewBytes(name, former);
  searched.set(dataDir, { inode, size });
  const isRotated = former !== undefined && former.size > 0 && start === 0 && existsSync(`${name}.1`);
  const text = [...(isRotated ? [readNewBytes(`${name}.1`, former).bytes] : []), bytes].map(String).join('');
  return [...text.matchAll(/"message":"(limit of Cloudflare exceeded[^"]*)/g)].map(([, message = '']) => message);
}
