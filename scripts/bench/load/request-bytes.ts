import type { Api } from '../api.ts';
import { type ApiRequest, counter } from '../api-request.ts';

/** A request as it is sent, in which each sending puts its number at these places. */
export interface RequestBytes {
  bytes: Uint8Array;
  counters: number[];
  status: number;
  bodyStart: string;
}

function placesOf(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(counter); at >= 0; at = bytes.indexOf(counter, at + 1)) places.push(at);
  return places;
}

/** The bytes of a request over a connection that is kept. */
export function requestBytes({ url, headers }: Api, request: ApiRequest): RequestBytes {
  const { method, path, body, status = 200, bodyStart = '' } = request;
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${new URL(url).host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`);
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
  return { bytes: new Uint8Array(bytes), counters: placesOf(bytes), status, bodyStart };
}
