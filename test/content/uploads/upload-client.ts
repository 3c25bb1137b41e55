import { createHash, randomBytes } from 'node:crypto';
import { json } from '../../support/content.ts';
import type { Server, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';

export const partBytes = 5 * 1024 * 1024;
export const getBytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(size));
export const getOid = (bytes: Uint8Array) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

export interface Upload {
  object: string;
  url: string;
  key: string;
}

type Owner = Pick<TestSpace, 'organization' | 'token'>;

/** Requests an upload URL, and returns the response. */
export const requestUpload = ({ organization, token }: Owner, size: number, name = 'a.bin') =>
  platform().request(`/v1/orgs/${organization}/storage/upload`, {
    token,
    method: 'POST',
    body: { file: { name, type: 'application/octet-stream', size }, kind: 'organization_file' },
  });

/** Creates an upload. Throws if the request fails. */
export const startUpload = (
  { organization, token }: Owner,
  size: number,
  name = 'a.bin',
  server: Server = platform(),
) => {
  const body = { file: { name, type: 'application/octet-stream', size }, kind: 'organization_file' };
  return json<Upload>(`/v1/orgs/${organization}/storage/upload`, { token, body }, server);
};

export const put = (url: string, bytes: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body: bytes });

/** Sends bytes from an offset with the tus protocol. */
export const patch = (
  url: string,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  fetch(url, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': `${offset}`,
      ...headers,
    },
    body,
  });

/** Returns the number of received bytes and the total size. */
export async function getProgress(url: string): Promise<[number, number]> {
  const { headers } = await fetch(url, { method: 'HEAD' });
  return [Number(headers.get('upload-offset')), Number(headers.get('upload-length'))];
}

/** Creates an upload and sends all its bytes. */
export async function uploadBytes(owner: Owner, bytes: Uint8Array<ArrayBuffer>, name?: string): Promise<Upload> {
  const upload = await startUpload(owner, bytes.length, name);
  const response = await put(upload.url, bytes);
  if (response.status !== 204) throw new Error(`An upload answered ${response.status} ${await response.text()}`);
  return upload;
}

/** Inserts an upload as a file into a space. */
export async function insertUploadInto(space: SpaceClient, upload: string, more: object = {}): Promise<TestFile> {
  const files = [{ name: 'a.bin', upload, git: { path: 'a.bin' }, ...more }];
  const { body } = await space.edit([{ operation: 'insert_files', files }]);
  const [file] = body.insertedFiles ?? [];
  if (file === undefined) throw new Error(`No file was inserted: ${JSON.stringify(body)}`);
  return file;
}

export const download = async ({ downloadURL }: TestFile) =>
  Buffer.from(await (await fetch(downloadURL)).arrayBuffer());

/** Returns the status and message of an error response. */
export async function getMessage(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  return `${response.status} ${error.message}`;
}
