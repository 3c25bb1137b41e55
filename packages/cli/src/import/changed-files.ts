import type { OutlineSource } from '@octavo/outline';
import { type File, maxUploadBytes } from '@octavo/schema';
import { downloadFile } from '@octavo/space-files';
import type { FileStep } from './send-files.ts';
import { hashBlob } from './source.ts';

/**
 * A file that is missing in the space or has different bytes there. `present` is the ID of the file in the space, if it
 * exists there.
 */
export type ChangedFile = Omit<FileStep, 'bytes' | 'size'>;

interface SpaceFiles {
  present: readonly File[];
  /** The export paths of files without a source path, by ID. */
  names: ReadonlyMap<string, string>;
  importedFrom?: string | undefined;
}

/**
 * Returns the files of a source that are missing in a space or differ. Files are matched by source path and compared by
 * Git blob ID.
 */
export async function findChangedFiles(
  source: OutlineSource,
  paths: string[],
  { importedFrom, ...space }: SpaceFiles,
): Promise<ChangedFile[]> {
  const present = getExistingFiles(space);
  const changed: ChangedFile[] = [];
  for (const path of paths) {
    const file = present.get(path);
    if (file === undefined || isTooLarge(source, path) || !(await hasSameContent(file, source, path)))
      changed.push({ path, present: file?.id, importedFrom });
  }
  return changed;
}

async function hasSameContent(file: File, source: OutlineSource, path: string): Promise<boolean> {
  if (file.git === undefined && file.size !== source.getSize(path)) return false;
  return (file.git?.oid ?? hashBlob(await downloadFile(file))) === hashBlob(await source.read(path));
}

/** Returns the files of a space by path. A source path takes precedence over the path that an export would write. */
function getExistingFiles({ present, names }: SpaceFiles): Map<string, File> {
  const filesByPath = new Map<string, File>();
  for (const file of present) if (file.git !== undefined) filesByPath.set(file.git.path, file);
  for (const file of present) {
    const path = names.get(file.id);
    if (path !== undefined && !filesByPath.has(path)) filesByPath.set(path, file);
  }
  return filesByPath;
}

const isTooLarge = (source: OutlineSource, path: string): boolean => source.getSize(path) > maxUploadBytes;

/** Reads files one by one as they are sent. A file above the upload limit is not read; only its size is returned. */
export async function* readFiles(source: OutlineSource, files: ChangedFile[]): AsyncGenerator<FileStep> {
  for (const file of files) {
    const bytes = isTooLarge(source, file.path) ? new Uint8Array() : await source.read(file.path);
    yield { ...file, bytes, size: Math.max(bytes.length, source.getSize(file.path)) };
  }
}
