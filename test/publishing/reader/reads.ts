import { createHmac } from 'node:crypto';
import type { RequestOptions, Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface ReadPage {
  status: number;
  headers: Headers;
  text: string;
}

/** Requests a page of a site like a browser does. */
export async function read(address: string, options: RequestOptions = {}): Promise<ReadPage> {
  const response = await platform().request(address, options);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

let requestCount = 0;

const percentEncode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Returns an equivalent URL that is not cached: each call percent-encodes different letters of the path. */
export function toUncachedUrl(address: string): string {
  requestCount += 1;
  const { origin, pathname } = new URL(address);
  let left = requestCount;
  const path = pathname.replace(/(?<!%|%.)[a-z]/g, (letter) => {
    const isEncoded = left % 2 === 1;
    left = Math.floor(left / 2);
    return isEncoded ? percentEncode(letter) : letter;
  });
  return `${origin}${path}`;
}

/**
 * Returns a visitor with a new value of the claim `asked`. On a site that asks for this claim, nothing is cached for
 * the visitor, not even the data that all pages share.
 */
export function createVisitor(site: string, claims: object = {}): RequestOptions {
  requestCount += 1;
  return createVisitorWith(site, { ...claims, asked: requestCount });
}

/** Returns a visitor with unsigned claims. */
export const createVisitorWith = (site: string, claims: object): RequestOptions => ({
  headers: { cookie: `octavo-claims-${site}=${encodeURIComponent(JSON.stringify(claims))}` },
});

/** Requests a page from a server that counts rows. Returns its round trips, and how many had to wait for each other. */
export async function measure(server: Server, address: string, { headers = {} }: RequestOptions) {
  const response = await server.request(address, { headers });
  const text = await response.text();
  const timing = response.headers.get('server-timing') ?? '';
  const count = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1]);
  const [trips, sequential] = [count('d1-trips'), count('d1-sequential-trips')];
  return { status: response.status, tag: response.headers.get('etag'), text, trips, sequential };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs the claims of a visitor with the key of a site. The token is valid for ten minutes. */
export function signClaims(key: string, claims: object): string {
  const text = `${encode({ alg: 'HS256' })}.${encode({ ...claims, exp: Math.floor(Date.now() / 1000) + 600 })}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
