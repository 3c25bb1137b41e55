import { until } from '../../support/own-platform.ts';
import type { Server, TestSpace } from '../../support/platform.ts';

interface PdfOptions {
  /** A change request id. Defaults to the live content. */
  branch?: string;
  query?: string;
}

type Space = Pick<TestSpace, 'id' | 'token'>;

export const requestPdfOfSpace = (
  server: Pick<Server, 'request'>,
  { id, token }: Space,
  { branch, query = '' }: PdfOptions = {},
) =>
  server.request(`/v1/spaces/${id}${branch === undefined ? '' : `/change-requests/${branch}`}/pdf${query}`, { token });

/** Requests a PDF and returns its URL. */
export async function requestPdfUrl(
  server: Pick<Server, 'request'>,
  space: Space,
  options: PdfOptions = {},
): Promise<string> {
  const response = await requestPdfOfSpace(server, space, options);
  const body = (await response.json()) as { url: string };
  if (response.status !== 200) throw new Error(`The PDF was refused: ${response.status} ${JSON.stringify(body)}`);
  return body.url;
}

/** Waits until a PDF is no longer pending, and returns the response. */
export const waitForPdf = (address: string, limit?: number): Promise<Response> =>
  until(async () => {
    const response = await fetch(address);
    if (response.status !== 202) return response;
    await response.arrayBuffer();
    return undefined;
  }, limit);

/** Requests a PDF, waits until it is rendered and returns its bytes. */
export async function downloadPdf(
  server: Pick<Server, 'request'>,
  space: Space,
  options: PdfOptions = {},
): Promise<Uint8Array> {
  const response = await waitForPdf(await requestPdfUrl(server, space, options), 120_000);
  if (response.status !== 200) throw new Error(`The PDF was not made: ${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}
