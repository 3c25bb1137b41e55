import type { ImportResult, Space } from '@octavo/schema';
import { ApiRequestError, api, get } from '../api.ts';
import { uploadFile } from '../upload.ts';
import { type FollowOptions, followImport } from './follow-import.ts';
import { packFiles } from './pack-files.ts';

const maxArchiveBytes = 100_000_000;

/** The body of a request for an import. */
export interface ImportInput {
  source: 'zip' | 'website';
  url: string;
}

interface ImportOptions extends Omit<FollowOptions, 'read'> {
  source: ImportInput;
}

/** Imports from a URL or an upload into the live content. */
export async function runImport(space: Space, { source, ...options }: ImportOptions): Promise<void> {
  const path = `/spaces/${space.id}/content/import`;
  const { id } = await api<ImportResult>('POST', path, { body: source });
  await followImport({ read: () => get(`${path}/${id}`), ...options });
}

function checkArchiveSize(bytes: number): void {
  if (bytes > maxArchiveBytes) throw new ApiRequestError(0, 'The files exceed 100 MB in total. Import them in parts.');
}

/** Uploads an archive. Returns the URL that an import reads it from. */
export async function uploadArchive({ organization }: Space, name: string, bytes: Blob): Promise<string> {
  checkArchiveSize(bytes.size);
  const file = new globalThis.File([bytes], name, { type: 'application/zip' });
  return `upload:${(await uploadFile(organization, file, { kind: 'import_file' })).key}`;
}

type FolderFile = [path: string, file: globalThis.File];

/** Returns the files of a chosen folder by their paths in it, without hidden files and packages of Node.js. */
const listFolderFiles = (files: globalThis.File[]): FolderFile[] =>
  files
    .map((file): FolderFile => [file.webkitRelativePath.split('/').slice(1).join('/'), file])
    .filter(([path]) => path !== '' && !/(?:^|\/)(?:\.|node_modules\/)/.test(path));

async function* readFolderFiles(files: FolderFile[]): AsyncGenerator<[path: string, bytes: Uint8Array]> {
  for (const [path, file] of files) yield [path, new Uint8Array(await file.arrayBuffer())];
}

/** Packs the files of a chosen folder into an archive. Hidden files are left out. */
export async function packFolder(files: globalThis.File[]): Promise<Blob> {
  const packed = listFolderFiles(files);
  // The browser holds the archive in memory, so check the size before packing.
  checkArchiveSize(packed.reduce((sum, [, { size }]) => sum + size, 0));
  return packFiles(readFolderFiles(packed));
}
