export { ArchiveError } from './archive-error.ts';
export { readArchive } from './read-archive.ts';
export { sourceOfArchive } from './source-of-archive.ts';
