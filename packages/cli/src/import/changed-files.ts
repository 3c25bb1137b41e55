import { paginate } from '@octavo/client';
import type { OutlineSource } from '@octavo/outline';
import { maxUploadBytes } from '@octavo/schema';
import type { Api } from '../api.ts';
import { blobId } from './blob-id.ts';
import type { FileStep } from './send-files.ts';

/** A file that the space has not, or has with other bytes: then `present` is its id there. */
export type ChangedFile = Omit<FileStep, 'bytes' | 'size'>;

/** Compares the files of a source with those of a space, by the path that they came from and the git blob id. */
export async function changedFiles(
  api: Api,
  space: string,
  { source, wanted }: { source: OutlineSource; wanted: string[] },
): Promise<ChangedFile[]> {
  if (wanted.length === 0) return [];
  const present = await presentFiles(api, space);
  const changed: ChangedFile[] = [];
  for (const path of wanted) {
    const file = present.get(path);
    const isChanged = file === undefined || isTooLarge(source, path) || file.oid !== blobId(await source.read(path));
    if (isChanged) changed.push({ path, present: file?.id });
  }
  return changed;
}

async function presentFiles(api: Api, spaceId: string): Promise<Map<string, { id: string; oid: string }>> {
  const found = new Map<string, { id: string; oid: string }>();
  const files = paginate((page) => api.listFiles({ params: { spaceId }, query: { limit: '1000', page } }));
  for await (const { id, git } of files) if (git !== undefined) found.set(git.path, { id, oid: git.oid });
  return found;
}

const isTooLarge = (source: OutlineSource, path: string): boolean => source.sizeOf(path) > maxUploadBytes;

/** Reads the files one by one as they are sent; of one that no server takes it is told how large it is. */
export async function* readFiles(source: OutlineSource, files: ChangedFile[]): AsyncGenerator<FileStep> {
  for (const file of files) {
    const bytes = isTooLarge(source, file.path) ? new Uint8Array() : await source.read(file.path);
    yield { ...file, bytes, size: Math.max(bytes.length, source.sizeOf(file.path)) };
  }
}
