import { describe, hexOf, log, OutsideError, postOutside, unseal } from '@octavo/runtime';
import type { IntegrationsEnvironment } from '../environment.ts';
import { retryAfterOf } from './schedule.ts';
import type { Subscriber } from './subscriptions.ts';

/** How an attempt ended. */
export interface Attempt {
  at: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
  /** The beginning of what was answered. */
  answer: string | null;
  /** How long the receiver asks us to wait, in milliseconds. */
  retryAfter: number;
  /** What came of it, where the status does not tell. */
  settled?: 'delivered' | 'refused';
}

export type Verdict = 'delivered' | 'failed' | 'refused';

/** What a receiver answers that is to be sent nothing any more. */
export const GONE = 410;

const retriedStatuses = new Set([408, 429]);

/** What a status means: 4xx are of no use to repeat, but for two. */
export function verdictOf({ status, settled }: Pick<Attempt, 'status' | 'settled'>): Verdict {
  if (settled !== undefined) return settled;
  if (status === null) return 'failed';
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 && !retriedStatuses.has(status) ? 'refused' : 'failed';
}

/** What fails before it is sent, and is tried again. */
const failedBefore = (error: string): Attempt => ({
  ...{ at: Date.now(), milliseconds: 0, status: null, error, answer: null, retryAfter: 0 },
});

/** What is not sent, and is of no use to be tried again. */
export const unsent = (error: string): Attempt => ({ ...failedBefore(error), settled: 'refused' });

const timeoutMilliseconds = 10_000;
const maxAnswerBytes = 4096;
const keptOfAnswer = 1024;

/** Where events are posted to, with the secrets that sign them. */
interface Receiver {
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

const encoder = new TextEncoder();

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return hexOf(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}

/** The value of the signature header: of the time and the body, by each secret that is valid. */
async function signatureOf(secrets: string[], body: string, now: number): Promise<string> {
  const time = Math.floor(now / 1000);
  const signatures = await Promise.all(secrets.map((secret) => hmac(secret, `${time}.${body}`)));
  return [`t=${time}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

type SecretFields = 'secret' | 'previousSecret' | 'previousUntil' | 'sealedFor';

/** Where events go, and the secrets that sign them now: the newest first. None where none of them opens. */
export async function receiverOf(
  env: IntegrationsEnvironment,
  { url, secret, previousSecret, previousUntil, sealedFor }: Pick<Subscriber, 'url' | SecretFields>,
): Promise<Receiver> {
  const isPreviousValid = previousUntil !== null && previousUntil > Date.now();
  const sealed = [secret, isPreviousValid ? previousSecret : null].flatMap((each) => each ?? []);
  const opened = await Promise.all(sealed.map((each) => open(env, sealedFor, each)));
  return { url: url ?? '', secrets: opened.flatMap((each) => each ?? []) };
}

/** A secret, unless the server's own was changed since without the one before it. */
async function open(env: IntegrationsEnvironment, owner: string, sealed: string): Promise<string | undefined> {
  try {
    return String(await unseal(env, owner, sealed));
  } catch (error) {
    log('error', 'secret of a subscription not opened', { owner, cause: describe(error) });
    return undefined;
  }
}
