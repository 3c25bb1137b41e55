import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
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
  const sizes = listEntries(archive, file);
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
    read: async (name) => texts[prefix + name] ?? unpackOne(archive, file, prefix + name),
  };
}

function listEntries(archive: Uint8Array, file: string): Map<string, number> {
  const sizes = new Map<string, number>();
  unpack(archive, file, (name, size) => {
    if (name.endsWith('/')) return false;
    if (isUnsafe(name))
      throw new Failure(`The archive ${file} holds an entry with an unsafe path: ${JSON.stringify(name)}.`);
    if (isOrdinary(name)) sizes.set(name, size);
    if (sizes.size > maxEntries) throw new Failure(`The archive ${file} holds more than ${maxEntries} files.`);
    return false;
  });
  return sizes;
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
