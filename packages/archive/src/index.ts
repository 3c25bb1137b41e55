export { ArchiveError, type ByteSource } from './directory.ts';
export { type ArchiveSource, readArchive, sourceOfArchive } from './read-archive.ts';
export { inWindows } from './windows.ts';
