import type { OutlineSource } from '@octavo/outline';
import { Inflate } from 'fflate';
import { ArchiveError, type ByteSource, type Entry, findDirectory, readDirectory } from './directory.ts';

/**
 * Wraps a source so that it reads at least `windowBytes` at once and caches the last window. Adjacent files are read
 * together.
 */
export function readInWindows({ size, read }: ByteSource, windowBytes: number): ByteSource {
  let offset = 0;
  let buffer: Uint8Array = new Uint8Array();
  return {
    size,
    read: async (start, end) => {
      if (start < offset || end > offset + buffer.length) {
        buffer = new Uint8Array();
        buffer = await read(start, Math.min(size, Math.max(end, start + windowBytes)));
        offset = start;
      }
      return buffer.subarray(start - offset, end - offset);
    },
  };
}

/** The files of an archive, without folders. */
interface Archive {
  paths: string[];
  /**
   * Paths that are not read: files that `takes` rejects, and symbolic links, devices and other special files. Links are
   * never followed.
   */
  unreadable: string[];
  /** Returns the size that the archive claims for a file. */
  getSize: (path: string) => number;
  /** Returns the unpacked file, which is never larger than its claimed size. */
  read: (path: string) => Promise<Uint8Array>;
  /** Sorts paths by the position of their files in the archive. */
  sorted: (paths: string[]) => string[];
}

export interface ArchiveLimits {
  /** Maximum number of files that `counts` selects. */
  entries: number;
  /** Maximum total size of these files as the archive claims it, in bytes. */
  totalBytes: number;
  /**
   * Whether to read a file; by default, all files are read. The paths of rejected files are still checked for safety.
   */
  takes?: (path: string) => boolean;
  /** Whether a file counts toward the limits; by default, all files that `takes` accepts. */
  counts?: (path: string, size: number) => boolean;
}

const maxPathBytes = 4096;
/** An archive may list this many entries for each counted file, because rejected files are listed too. */
const listedPerTaken = 5;
/**
 * Deflate expands one byte to at most 1032, so a chunk of this size unpacks to about 4 MiB before the total is checked.
 */
const chunkBytes = 4096;

/**
 * Reads the directory of a zip archive and rejects unsafe archives. Files are unpacked one by one, when they are read.
 * @throws ArchiveError
 */
export async function readArchive(input: Uint8Array | ByteSource, limits: ArchiveLimits): Promise<Archive> {
  const source = input instanceof Uint8Array ? createMemorySource(input) : input;
  const { entries, unread } = await listEntries(source, limits);
  const getEntry = (path: string): Entry => {
    const entry = entries.get(path);
    if (!entry) throw new ArchiveError(`has no file ${path}`);
    return entry;
  };
  return {
    paths: [...entries.keys()],
    unreadable: unread,
    getSize: (path) => getEntry(path).size,
    read: async (path) => unpack(source, getEntry(path)),
    sorted: (paths) => paths.toSorted((a, b) => getEntry(a).offset - getEntry(b).offset),
  };
}

const createMemorySource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

async function listEntries(source: ByteSource, { entries: maxEntries, totalBytes, takes, counts }: ArchiveLimits) {
  const entries = new Map<string, Entry>();
  const unreadable: string[] = [];
  let total = 0;
  let totalSize = 0;
  const location = await findDirectory(source);
  if (location.count > maxEntries * listedPerTaken) throw new ArchiveError(`has more than ${maxEntries} files`);
  for (const entry of await readDirectory(source, location)) {
    const { name, size } = entry;
    if (isUnsafe(name.replace(/\/$/, ''))) {
      throw new ArchiveError(`has an entry with an unsafe path: ${JSON.stringify(name.slice(0, 200))}`);
    }
    if (name.endsWith('/')) continue;
    if (takes?.(name) === false || !isFile(entry)) {
      unreadable.push(name);
      continue;
    }
    if (entry.flags & 1) throw new ArchiveError(`has an encrypted file: ${JSON.stringify(name)}`);
    if (entries.has(name)) throw new ArchiveError(`has two files with the path ${JSON.stringify(name)}`);
    entries.set(name, entry);
    if (counts && !counts(name, size)) continue;
    totalSize += 1;
    total += size;
    if (totalSize > maxEntries) throw new ArchiveError(`has more than ${maxEntries} files`);
    if (total > totalBytes) throw new ArchiveError(`has more than ${totalBytes} bytes`);
  }
  return { entries, unread: unreadable };
}

const isUnsafe = (name: string): boolean =>
  name.length > maxPathBytes ||
  new TextEncoder().encode(name).length > maxPathBytes ||
  /^[a-zA-Z]:|[\\\p{Cc}]/u.test(name) ||
  name.split('/').some((part) => part === '..' || part === '.' || part === '');

const isRegular = 0x8000;

const isFile = ({ fileType }: Entry): boolean => fileType === 0 || fileType === isRegular;

const headerLength = 30;

const createDamagedError = () => new Error('The archive is damaged: the file does not match its checksum or size.');

async function unpack(source: ByteSource, entry: Entry): Promise<Uint8Array> {
  const compressed = await readPackedBytes(source, entry);
  if (entry.method !== 0 && entry.method !== 8) throw new Error('The file uses an unsupported compression method.');
  const bytes = entry.method === 0 ? compressed.slice() : inflate(compressed, entry.size);
  if (bytes.length !== entry.size || calculateCrc32(bytes) !== entry.checksum) throw createDamagedError();
  return bytes;
}

/**
 * Returns the maximum packed size, with a generous margin: Deflate can enlarge bytes that it cannot compress. A file
 * that claims a larger packed size is not read.
 */
const getMaxPackedSize = (size: number): number => size + Math.ceil(size / 1000) + 1000;

async function readPackedBytes(source: ByteSource, { offset, packedSize, method, size }: Entry): Promise<Uint8Array> {
  if (offset + headerLength > source.size) throw createDamagedError();
  const header = await source.read(offset, offset + headerLength);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.getUint32(0, true) !== 0x04034b50) throw createDamagedError();
  const start = offset + headerLength + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + packedSize > source.size || packedSize > getMaxPackedSize(size)) throw createDamagedError();
  if (method === 0 && packedSize !== size) throw createDamagedError();
  return source.read(start, start + packedSize);
}

/** Inflates in chunks and stops as soon as the output exceeds the claimed size. */
function inflate(compressed: Uint8Array, size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  const stream = new Inflate((chunk) => {
    total += chunk.length;
    if (total > size) throw createDamagedError();
    chunks.push(chunk);
  });
  try {
    for (let offset = 0; offset < compressed.length; offset += chunkBytes) {
      stream.push(compressed.subarray(offset, offset + chunkBytes), offset + chunkBytes >= compressed.length);
    }
  } catch {
    throw createDamagedError();
  }
  return joinChunks(chunks, total);
}

function joinChunks(chunks: Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** The files of an archive as a source. `sorted` sorts paths by the position of their files in the archive. */
export interface ArchiveSource extends OutlineSource {
  sorted: (paths: string[]) => string[];
}

/**
 * Returns the files of an archive as a source, without the single top-level folder that archives of repositories have.
 * If a single folder inside it contains the summary and all other files, that folder is stripped too.
 */
export function createArchiveSource(archive: Archive, name: string): ArchiveSource {
  const prefix = findCommonFolder(archive.paths);
  const removePrefix = (path: string) => path.slice(prefix.length);
  return {
    name,
    paths: archive.paths.map(removePrefix),
    unreadablePaths: archive.unreadable.map((path) => (path.startsWith(prefix) ? removePrefix(path) : path)),
    getSize: (path) => archive.getSize(prefix + path),
    read: (path) => archive.read(prefix + path),
    sorted: (paths) => archive.sorted(paths.map((path) => prefix + path)).map(removePrefix),
  };
}

function findCommonFolder(paths: string[]): string {
  const outer = getCommonFolder(paths);
  const inner = outer + getCommonFolder(paths.map((path) => path.slice(outer.length)));
  return paths.some((path) => path.toLowerCase() === `${inner}summary.md`.toLowerCase()) ? inner : outer;
}

function getCommonFolder(paths: string[]): string {
  const [folder, ...rest] = paths[0]?.split('/') ?? [];
  const prefix = rest.length > 0 ? `${folder}/` : '';
  return prefix !== '' && paths.every((path) => path.startsWith(prefix)) ? prefix : '';
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function calculateCrc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}
