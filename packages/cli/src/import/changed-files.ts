import { paginate } from '@octavo/client';
import type { OutlineSource } from '@octavo/outline';
import { type File, maxUploadBytes } from '@octavo/schema';
import type { Api } from '../api.ts';
import { download } from '../export/read-space.ts';
import type { FileStep } from './send-files.ts';
import { blobId } from './source.ts';

/** A file that is missing in the space or has other bytes there. `present` is its ID in the space, if it exists. */
export type ChangedFile = Omit<FileStep, 'bytes' | 'size'>;

/**
 * Returns the files of a source that are missing in a space or differ. Files are matched by source path and compared by
 * Git blob ID. `names` are the export paths of files without a source path, by ID.
 */
export async function changedFiles(
  api: Api,
  space: string,
  { source, wanted, names }: { source: OutlineSource; wanted: string[]; names: ReadonlyMap<string, string> },
): Promise<ChangedFile[]> {
  if (wanted.length === 0) return [];
  const present = await presentFiles(api, space, names);
  const changed: ChangedFile[] = [];
  for (const path of wanted) {
    const file = present.get(path);
    if (file === undefined || isTooLarge(source, path) || !(await isSame(file, source, path)))
      changed.push({ path, present: file?.id });
  }
  return changed;
}

async function isSame(file: File, source: OutlineSource, path: string): Promise<boolean> {
  if (file.git === undefined && file.size !== source.sizeOf(path)) return false;
  return (file.git?.oid ?? blobId(await download(file))) === blobId(await source.read(path));
}

async function presentFiles(api: Api, spaceId: string, names: ReadonlyMap<string, string>): Promise<Map<string, File>> {
  const found = new Map<string, File>();
  const files = paginate((page) => api.listFiles({ params: { spaceId }, query: { limit: '1000', page } }));
  const loose: File[] = [];
  for await (const file of files) {
    if (file.git === undefined) loose.push(file);
    else found.set(file.git.path, file);
  }
  for (const file of loose) {
    const path = names.get(file.id);
    if (path !== undefined && !found.has(path)) found.set(path, file);
  }
  return found;
}

const isTooLarge = (source: OutlineSource, path: string): boolean => source.sizeOf(path) > maxUploadBytes;

/** Reads files one by one as they are sent. A file above the upload limit is not read, only its size is returned. */
export async function* readFiles(source: OutlineSource, files: ChangedFile[]): AsyncGenerator<FileStep> {
  for (const file of files) {
    const bytes = isTooLarge(source, file.path) ? new Uint8Array() : await source.read(file.path);
    yield { ...file, bytes, size: Math.max(bytes.length, source.sizeOf(file.path)) };
  }
}
