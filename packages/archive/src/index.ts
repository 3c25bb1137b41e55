export { ArchiveError } from './directory.ts';
export { readArchive, sourceOfArchive } from './read-archive.ts';
