import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { maxDocumentBytes } from '@octavo/schema';
import { unzipSync } from 'fflate';
import { Failure, messageOf } from '../failure.ts';
import { isOrdinary, maxEntries, maxTotalBytes, type Source } from './source.ts';

/** The files of a zip archive. One folder that holds everything else, as archives of repositories have, is stripped. */
export async function readZip(file: string): Promise<Source> {
  if ((await stat(file)).size > maxTotalBytes)
    throw new Failure(`The archive ${file} is larger than ${maxTotalBytes} bytes.`);
  return sourceOf(new Uint8Array(await readFile(file)), file);
}

function sourceOf(archive: Uint8Array, file: string): Source {
  const entries = listEntries(archive, file);
  const sizes = new Map([...entries].map(([name, { size }]) => [name, size]));
  const prefix = commonFolder([...sizes.keys()]);
  const paths = [...sizes.keys()].map((name) => name.slice(prefix.length)).filter(isOrdinary);
  const wanted = (name: string) => /\.(?:md|markdown)$/i.test(name) && (sizes.get(name) ?? 0) <= maxDocumentBytes;
  const total = [...sizes].reduce((sum, [name, size]) => sum + (wanted(name) ? size : 0), 0);
  if (total > maxTotalBytes) throw new Failure(`The markdown in ${file} has more than ${maxTotalBytes} bytes.`);
  const texts = unpack(archive, file, wanted);
  return {
    name: path.basename(file).replace(/\.zip$/i, ''),
    paths,
    sizeOf: (name) => sizes.get(prefix + name) ?? 0,
    read: async (name) => {
      const bytes = texts[prefix + name] ?? unpackOne(archive, file, prefix + name);
      const { size, checksum } = entries.get(prefix + name) ?? {};
      if (bytes.length !== size || (checksum ?? crc32(bytes)) !== crc32(bytes)) {
        throw new Failure('The file is not what its archive says: the archive is damaged.');
      }
      return bytes;
    },
  };
}

interface Entry {
  size: number;
  checksum: number | undefined;
}

function listEntries(archive: Uint8Array, file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const checksums = readChecksums(archive);
  unpack(archive, file, (name, size) => {
    const checksum = checksums.next().value;
    if (name.endsWith('/')) return false;
    if (isUnsafe(name))
      throw new Failure(`The archive ${file} holds an entry with an unsafe path: ${JSON.stringify(name)}.`);
    if (isOrdinary(name)) entries.set(name, { size, checksum });
    if (entries.size > maxEntries) throw new Failure(`The archive ${file} holds more than ${maxEntries} files.`);
    return false;
  });
  return entries;
}

/**
 * The CRC-32 of each entry in the order of the directory, none for an archive beyond 4 GiB. fflate looks at neither
 * these nor at what is left when it has unpacked as many bytes as an entry claims.
 */
function* readChecksums(archive: Uint8Array): Generator<number, undefined> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = bytes.lastIndexOf('PK\x05\x06', -22, 'latin1');
  if (end === -1) return undefined;
  let at = bytes.readUInt32LE(end + 16);
  while (at + 46 <= end && bytes.readUInt32LE(at) === 0x02014b50) {
    yield bytes.readUInt32LE(at + 16);
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return undefined;
}

const isUnsafe = (name: string): boolean =>
  /^(?:\/|[a-zA-Z]:)|[\\\p{Cc}]/u.test(name) ||
  name.split('/').some((part) => part === '..' || part === '.' || part === '');

function unpackOne(archive: Uint8Array, file: string, name: string): Uint8Array {
  const bytes = unpack(archive, file, (each) => each === name)[name];
  if (!bytes) throw new Failure(`The archive ${file} holds no file ${name}.`);
  return bytes;
}

function unpack(archive: Uint8Array, file: string, filter: (name: string, size: number) => boolean) {
  try {
    return unzipSync(archive, { filter: (entry) => filter(entry.name, entry.originalSize) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The file ${file} is not a zip archive that can be read: ${messageOf(error)}.`);
  }
}

function commonFolder(names: string[]): string {
  const first = names[0]?.split('/').slice(0, -1) ?? [];
  const prefix = first.length > 0 ? `${first[0]}/` : '';
  return prefix !== '' && names.every((name) => name.startsWith(prefix)) ? prefix : '';
}
