import { stat } from 'node:fs/promises';
import type { OutlineSource } from '@octavo/outline';
import { Failure } from '../failure.ts';
import { readFolder } from '../source/read-folder.ts';
import { readZip } from '../source/read-zip.ts';

/** The files of a folder or a zip archive. @throws Failure */
export async function readSource(file: string): Promise<OutlineSource> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new Failure(`There is no folder or archive ${file}.`);
  return found.isDirectory() ? readFolder(file) : readZip(file);
}
