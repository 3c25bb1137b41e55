import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveLocally } from '../support/local-server.ts';
import { platform } from '../support/platform.ts';

export interface Relayed {
  method: string;
  path: string;
}

/** Starts a proxy of the shared platform that waits for `before` on each request. */
export function startRelay(before: (request: Relayed) => Promise<void> | void): Promise<string> {
  return serveLocally(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    await relayRequest(request, response, () => before({ method, path: url }));
  });
}

/** Forwards a request to the shared platform after `before` settles. */
export async function relayRequest(
  request: IncomingMessage,
  response: ServerResponse,
  before: () => Promise<void> | void = () => {},
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const chunks: Buffer[] = await request.toArray();
  await before();
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
  const upstreamResponse = await fetch(new URL(url, platform().url), { method, headers: getHeaders(request), ...body });
  response.writeHead(upstreamResponse.status, { 'content-type': upstreamResponse.headers.get('content-type') ?? '' });
  response.end(await upstreamResponse.text());
}

function getHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { authorization = '', 'content-type': type } = headers;
  return { authorization, ...(type !== undefined && { 'content-type': type }) };
}
