import type { RequestOptions } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface ReadPage {
  status: number;
  headers: Headers;
  text: string;
}

/** What a browser is answered at an address of a site. */
export async function read(address: string, options: RequestOptions = {}): Promise<ReadPage> {
  const answer = await platform().request(address, options);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

let asked = 0;

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** The same page, as it was never asked for: other letters of its path are encoded each time, and it is drawn anew. */
export function coldAddress(address: string): string {
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

/** A visitor of a site whom nothing was shown before: what is around all pages is read anew as well. */
export function newVisitor(site: string): RequestOptions {
  asked += 1;
  return { headers: { cookie: `octavo-claims-${site}=${encodeURIComponent(JSON.stringify({ asked }))}` } };
}
