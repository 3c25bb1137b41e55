import type { Source } from '@octavo/outline';
import type { Archive } from './read-archive.ts';

/**
 * The files of an archive without the one folder that holds everything else, as archives of repositories have, nor the
 * folder in that one which holds everything with its summary.
 */
export function sourceOfArchive(archive: Archive, name: string): Source {
  const prefix = folderOfAll(archive.paths);
  return {
    name,
    paths: archive.paths.map((path) => path.slice(prefix.length)),
    sizeOf: (path) => archive.sizeOf(prefix + path),
    read: async (path) => archive.read(prefix + path),
  };
}

function folderOfAll(paths: string[]): string {
  const outer = commonFolder(paths);
  const inner = outer + commonFolder(paths.map((path) => path.slice(outer.length)));
  return paths.some((path) => path.toLowerCase() === `${inner}summary.md`.toLowerCase()) ? inner : outer;
}

function commonFolder(paths: string[]): string {
  const [folder, ...rest] = paths[0]?.split('/') ?? [];
  const prefix = rest.length > 0 ? `${folder}/` : '';
  return prefix !== '' && paths.every((path) => path.startsWith(prefix)) ? prefix : '';
}
