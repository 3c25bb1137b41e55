export { ArchiveError, type ByteSource } from './directory.ts';
export { type ArchiveSource, createArchiveSource, readArchive, readInWindows } from './read-archive.ts';
