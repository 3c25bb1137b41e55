import type { RequestOptions } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface ReadPage {
  status: number;
  headers: Headers;
  text: string;
}

/** Requests a page of a site like a browser does. */
export async function read(address: string, options: RequestOptions = {}): Promise<ReadPage> {
  const answer = await platform().request(address, options);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

let asked = 0;

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Returns an equivalent URL that is not cached: each call percent-encodes different letters of the path. */
export function toUncachedUrl(address: string): string {
  asked += 1;
  const { origin, pathname } = new URL(address);
  let left = asked;
  const path = pathname.replace(/(?<!%|%.)[a-z]/g, (letter) => {
    const isEncoded = left % 2 === 1;
    left = Math.floor(left / 2);
    return isEncoded ? percent(letter) : letter;
  });
  return `${origin}${path}`;
}

/**
 * Returns a visitor with a new value of the claim `asked`. On a site that asks for this claim, nothing is cached for
 * the visitor, not even the data that all pages share.
 */
export function newVisitor(site: string): RequestOptions {
  asked += 1;
  return { headers: { cookie: `octavo-claims-${site}=${encodeURIComponent(JSON.stringify({ asked }))}` } };
}
