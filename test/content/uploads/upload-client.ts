import { json } from '../../support/content.ts';
import type { Server, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface Upload {
  object: string;
  url: string;
  key: string;
}

type Owner = Pick<TestSpace, 'organization' | 'token'>;

/** Asks for an address that takes the bytes of a file. */
export const askForUpload = ({ organization, token }: Owner, size: number, name = 'a.bin') =>
  platform().request(`/v1/orgs/${organization}/storage/upload`, {
    token,
    method: 'POST',
    body: { file: { name, type: 'application/octet-stream', size }, kind: 'organization_file' },
  });

/** An address that must be given. */
export const newUpload = (
  { organization, token }: Owner,
  size: number,
  name = 'a.bin',
  server: Server = platform(),
) => {
  const body = { file: { name, type: 'application/octet-stream', size }, kind: 'organization_file' };
  return json<Upload>(`/v1/orgs/${organization}/storage/upload`, { token, body }, server);
};

export const put = (url: string, bytes: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body: bytes });

/** Sends bytes from an offset on, as tus has it. */
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

/** How many bytes there are, of how many. */
export async function progressOf(url: string): Promise<[number, number]> {
  const { headers } = await fetch(url, { method: 'HEAD' });
  return [Number(headers.get('upload-offset')), Number(headers.get('upload-length'))];
}

/** An upload that has all its bytes. */
export async function uploaded(owner: Owner, bytes: Uint8Array<ArrayBuffer>, name?: string): Promise<Upload> {
  const upload = await newUpload(owner, bytes.length, name);
  const answer = await put(upload.url, bytes);
  if (answer.status !== 204) throw new Error(`An upload answered ${answer.status} ${await answer.text()}`);
  return upload;
}
