import { normalizePath } from '@octavo/outline';

/** Returns the path of a file relative to the folder of another file. */
export function getRelativePath(from: string, to: string): string {
  const folders = normalizePath(from.slice(0, from.lastIndexOf('/') + 1))
    .split('/')
    .filter(Boolean);
  const parts = normalizePath(to).split('/');
  const shared = folders.findIndex((folder, index) => folder !== parts[index]);
  const depth = shared === -1 ? folders.length : shared;
  return [...folders.slice(depth).map(() => '..'), ...parts.slice(depth)].join('/');
}
