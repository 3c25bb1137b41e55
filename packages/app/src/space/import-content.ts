import type { Import, ImportResult, Space } from '@octavo/schema';
import { ApiRequestError, api, get } from '../api.ts';
import { uploadFile } from '../upload.ts';
import { packFiles } from './pack-files.ts';

const pollMilliseconds = 1000;
const maxArchiveBytes = 100_000_000;

/** Waits until an import has ended, and reports its progress. */
async function followImport(space: Space, id: string, report: (progress: Import) => void): Promise<Import> {
  for (;;) {
    const progress = await get<Import>(`/spaces/${space.id}/content/import/${id}`);
    report(progress);
    if (progress.status !== 'running') return progress;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}

/** Imports from a URL or an upload into the live content. */
export async function runImport(
  space: Space,
  source: { source: string; url: string },
  report: (progress: Import) => void,
): Promise<Import> {
  const { id } = await api<ImportResult>('POST', `/spaces/${space.id}/content/import`, { body: source });
  return followImport(space, id, report);
}

/** Uploads an archive. Returns the URL that an import reads it from. */
export async function uploadArchive({ organization }: Space, name: string, bytes: Blob): Promise<string> {
  if (bytes.size > maxArchiveBytes)
    throw new ApiRequestError(0, 'The files exceed 100 MB in total. Import them in parts.');
  const file = new globalThis.File([bytes], name, { type: 'application/zip' });
  return `upload:${(await uploadFile(organization, file, { kind: 'import_file' })).key}`;
}

async function* readFolderFiles(files: globalThis.File[]): AsyncGenerator<[path: string, bytes: Uint8Array]> {
  for (const file of files) {
    const path = file.webkitRelativePath.split('/').slice(1).join('/');
    if (path !== '' && !/(?:^|\/)(?:\.|node_modules\/)/.test(path))
      yield [path, new Uint8Array(await file.arrayBuffer())];
  }
}

/** Packs the files of a chosen folder into an archive. Hidden files are left out. */
export const packFolder = (files: globalThis.File[]): Promise<Blob> => packFiles(readFolderFiles(files));
