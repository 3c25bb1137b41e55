import type { StorageUploadURL } from '@octavo/schema';
import { ApiRequestError, api } from './api.ts';

export interface UploadOptions {
  kind?: 'import_file' | 'organization_file';
  reportProgress?: (fraction: number) => void;
}

/** Uploads a file. Returns the key and the URL by which other operations use it. */
export async function uploadFile(
  organization: string,
  file: globalThis.File,
  { kind = 'organization_file', reportProgress }: UploadOptions = {},
): Promise<StorageUploadURL> {
  const { name, type, size } = file;
  const body = { kind, file: { name, type, size } };
  const upload = await api<StorageUploadURL>('POST', `/orgs/${organization}/storage/upload`, { body });
  await putBytes(upload.url, file, reportProgress);
  return upload;
}

/** Sends the bytes of a file. `fetch` does not report progress. */
const putBytes = (url: string, file: globalThis.File, reportProgress: UploadOptions['reportProgress']): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.upload.addEventListener('progress', ({ loaded, total }) => reportProgress?.(loaded / Math.max(1, total)));
    request.addEventListener('load', () => {
      const { status } = request;
      if (status < 300) resolve();
      else reject(new ApiRequestError(status, `The server rejected the file with status ${status}.`));
    });
    request.addEventListener('error', () => reject(new ApiRequestError(0, 'The connection was lost. Try again.')));
    request.send(file);
  });
