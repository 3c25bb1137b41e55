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

/** The same page, as it was never asked for: it is drawn anew. */
export function coldAddress(address: string): string {
  asked += 1;
  return `${address}?cold=${process.pid}-${asked}`;
}
