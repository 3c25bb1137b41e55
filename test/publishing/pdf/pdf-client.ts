import { until } from '../../support/own-platform.ts';
import type { Server, TestSpace } from '../../support/platform.ts';

interface Asked {
  /** A change request; else live content. */
  branch?: string;
  query?: string;
}

type Space = Pick<TestSpace, 'id' | 'token'>;

/** Asks for a PDF. */
export const askForPdf = (server: Pick<Server, 'request'>, { id, token }: Space, { branch, query = '' }: Asked = {}) =>
  server.request(`/v1/spaces/${id}${branch === undefined ? '' : `/change-requests/${branch}`}/pdf${query}`, { token });

/** The address of a PDF that must be given. */
export async function addressOfPdf(server: Pick<Server, 'request'>, space: Space, asked: Asked = {}): Promise<string> {
  const response = await askForPdf(server, space, asked);
  const body = (await response.json()) as { url: string };
  if (response.status !== 200) throw new Error(`The PDF was refused: ${response.status} ${JSON.stringify(body)}`);
  return body.url;
}

/** What an address of a PDF answers as soon as it is not waiting any more. */
export const whenDone = (address: string, limit?: number): Promise<Response> =>
  until(async () => {
    const response = await fetch(address);
    if (response.status !== 202) return response;
    await response.arrayBuffer();
    return undefined;
  }, limit);

/** The bytes of a PDF that must be made. */
export async function bytesOfPdf(
  server: Pick<Server, 'request'>,
  space: Space,
  asked: Asked = {},
): Promise<Uint8Array> {
  const response = await whenDone(await addressOfPdf(server, space, asked));
  if (response.status !== 200) throw new Error(`The PDF was not made: ${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}
