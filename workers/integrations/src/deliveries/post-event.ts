import { OutsideError, postOutside } from '@octavo/runtime';
import type { IntegrationsEnvironment } from '../environment.ts';
import { retryAfterOf } from './back-off.ts';
import type { Attempt } from './outcome.ts';
import { failedBefore, verdictOf } from './outcome.ts';
import { signatureOf } from './signature.ts';

const timeoutMilliseconds = 10_000;
const maxAnswerBytes = 4096;
const keptOfAnswer = 1024;

/** Where events are posted to, with the secrets that sign them. */
export interface Receiver {
  url: string;
  secrets: string[];
}

interface Posting {
  delivery: string;
  type: string;
  payload: object;
}

async function headersFor({ secrets }: Receiver, { delivery, type }: Posting, body: string, now: number) {
  const signature = await signatureOf(secrets, body, now);
  return {
    'content-type': 'application/json',
    accept: '*/*',
    'x-octavo-event': type,
    'x-octavo-delivery': delivery,
    'x-octavo-signature': signature,
    // The same under the name that receivers for the specified interface look for.
    'x-gitbook-signature': signature,
  };
}

/** What may be kept and shown of an answer: text without control characters. */
const readable = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, keptOfAnswer);

/** Posts an event to a receiver, and tells what came of it. */
export async function postEvent(env: IntegrationsEnvironment, receiver: Receiver, posting: Posting): Promise<Attempt> {
  if (receiver.secrets.length === 0) return failedBefore('its secret cannot be opened: rotate it');
  const body = JSON.stringify(posting.payload);
  const at = Date.now();
  const headers = await headersFor(receiver, posting, body, at);
  const none = { status: null, answer: null, retryAfter: 0 };
  try {
    const limits = { milliseconds: timeoutMilliseconds, bytes: maxAnswerBytes };
    const { status, headers: answered, beginning } = await postOutside(env, receiver.url, { body, headers, ...limits });
    const milliseconds = Date.now() - at;
    const error = verdictOf({ status }) === 'delivered' ? null : `answered ${status}`;
    const retryAfter = retryAfterOf(answered.get('retry-after'), Date.now());
    return { at, milliseconds, status, error, answer: readable(beginning), retryAfter };
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    return { ...none, at, milliseconds: Date.now() - at, error: error.message };
  }
}
