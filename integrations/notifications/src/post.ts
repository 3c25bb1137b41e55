import { Refusal } from '@octavo/integration';
import type { Message } from './message.ts';

const longestMilliseconds = 5000;

/** Posts a message. What the receiver refuses for good is not to be sent again, what it fails at is. */
export async function post(address: string, { line, quote }: Message): Promise<void> {
  const body = JSON.stringify({
    text: quote === undefined ? line : `${line}\n${quote}`,
    unfurl_links: false,
    unfurl_media: false,
  });
  const response = await send(address, body);
  await response.body?.cancel();
  if (response.ok) return;
  const isForGood = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status);
  throw new Refusal(`The webhook answered with ${response.status}.`, isForGood ? 400 : 502);
}

/** The address is a secret, so no error of it is passed on, which could name it. */
async function send(address: string, body: string): Promise<Response> {
  const signal = AbortSignal.timeout(longestMilliseconds);
  const headers = { 'content-type': 'application/json' };
  try {
    return await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch {
    throw new Refusal('The webhook cannot be reached.', 502);
  }
}
