import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, getMessage } from './failure.ts';

/** A response of the local server. */
export interface LocalResponse {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

/** A request with its complete body. */
export interface LocalRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

const largestBody = 32 * 1024 * 1024;

interface Listening {
  url: string;
  close(): Promise<void>;
}

/** Listens on a loopback port; 0 selects any free port. @throws Failure */
export async function listenLocally(
  port: number,
  handle: (request: LocalRequest) => Promise<LocalResponse>,
): Promise<Listening> {
  const server = createServer((request, response) => void respond(request, response, handle));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw new Failure(`Could not listen on port ${port}: ${getMessage(error)}.`);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: LocalRequest) => Promise<LocalResponse>,
): Promise<void> {
  const body = await readBody(request);
  const {
    status,
    headers,
    body: text,
  } = body === undefined
    ? { status: 413, headers: {}, body: 'The body must have at most 32 MiB.' }
    : await handle({ method: request.method ?? 'GET', path: request.url ?? '/', headers: getHeaders(request), body })
        // Report an error to the caller, and keep the command running.
        .catch((error: unknown) => ({ status: 502, headers: {}, body: getMessage(error) }));
  response.writeHead(status, headers).end(text);
}

const getHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largestBody) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
