import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';

/** The number of bytes of each log that were searched before. */
const searched = new Map<number, number>();

/** Returns the messages about exceeded limits that were logged since the last call. Ignores a log that was rotated. */
export function findExceededLimits(dataDir: string): string[] {
  const file = openSync(path.join(dataDir, 'octavo.log'), 'r');
  try {
    const { ino, size } = fstatSync(file);
    const start = searched.get(ino) ?? 0;
    searched.set(ino, size);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    if (!bytes.includes('limit of Cloudflare exceeded')) return [];
    return [...bytes.toString().matchAll(/"message":"(limit of Cloudflare exceeded[^"]*)/g)].map(
      ([, text = '']) => text,
    );
  } finally {
    closeSync(file);
  }
}
