export { ArchiveError, type ByteSource } from './directory.ts';
export { type ArchiveSource, inWindows, readArchive, sourceOfArchive } from './read-archive.ts';
