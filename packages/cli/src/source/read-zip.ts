import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ArchiveError, readArchive, sourceOfArchive } from '@octavo/archive';
import { isMarkdown, isOrdinary, type OutlineSource } from '@octavo/outline';
import { maxDocumentBytes } from '@octavo/schema';
import { Failure } from '../failure.ts';
import { maxEntries, maxTotalBytes } from './limits.ts';

/** The files of a zip archive. One folder that holds everything else, as archives of repositories have, is stripped. */
export async function readZip(file: string): Promise<OutlineSource> {
  if ((await stat(file)).size > maxTotalBytes)
    throw new Failure(`The archive ${file} is larger than ${maxTotalBytes} bytes.`);
  const bytes = new Uint8Array(await readFile(file));
  try {
    const archive = await readArchive(bytes, {
      entries: maxEntries,
      totalBytes: maxTotalBytes,
      takes: isOrdinary,
      counts: (name, size) => isMarkdown(name) && size <= maxDocumentBytes,
    });
    return sourceOfArchive(archive, path.basename(file).replace(/\.zip$/i, ''));
  } catch (error) {
    if (error instanceof ArchiveError) throw new Failure(`The archive ${file} ${error.problem}.`);
    throw error;
  }
}
