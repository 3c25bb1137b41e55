import { describeError, ExternalFetchError, log, postExternal, toHex, unseal } from '@octavo/runtime';
import type { IntegrationsEnvironment } from '../environment.ts';
import { parseRetryAfter } from './schedule.ts';
import type { Subscriber } from './subscriptions.ts';

/** An attempt to deliver an event. */
export interface Attempt {
  at: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
  /** The beginning of the response body. */
  responseText: string | null;
  /** Milliseconds that the receiver asks to wait. */
  retryAfter: number;
  /** The final result of the attempt. If set, the HTTP status is ignored. */
  settled?: 'delivered' | 'refused';
}

export type Verdict = 'delivered' | 'failed' | 'refused';

/** Status of a receiver that does not want any further events. */
export const GONE = 410;

const retriedStatuses = new Set([408, 429]);

/** Returns the verdict of an attempt. Attempts with a 4xx status are not retried, unless it is 408 or 429. */
export function getVerdict({ status, settled }: Pick<Attempt, 'status' | 'settled'>): Verdict {
  if (settled !== undefined) return settled;
  if (status === null) return 'failed';
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 && !retriedStatuses.has(status) ? 'refused' : 'failed';
}

/** Creates an attempt that failed before the event was sent. The event is sent again later. */
const createFailedAttempt = (error: string): Attempt => ({
  ...{ at: Date.now(), milliseconds: 0, status: null, error, responseText: null, retryAfter: 0 },
});

/** Creates an attempt for an event that cannot be sent. It is not retried. */
export const createUnsentAttempt = (error: string): Attempt => ({ ...createFailedAttempt(error), settled: 'refused' });

const timeoutMilliseconds = 10_000;
const maxAnswerBytes = 4096;
const keptOfAnswer = 1024;

/** The address of a receiver, with the secrets that sign events. */
interface Receiver {
  url: string;
  secrets: string[];
}

interface Posting {
  delivery: string;
  type: string;
  payload: object;
}

async function createHeaders({ secrets }: Receiver, { delivery, type }: Posting, body: string, now: number) {
  const signature = await createSignature(secrets, body, now);
  return {
    'content-type': 'application/json',
    accept: '*/*',
    'x-octavo-event': type,
    'x-octavo-delivery': delivery,
    'x-octavo-signature': signature,
    // The header name of GitBook's API, for receivers written for it.
    'x-gitbook-signature': signature,
  };
}

/** Returns the stored part of a response body: text without control characters. */
const toReadableText = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, keptOfAnswer);

/** Posts an event to a receiver. */
export async function postEvent(env: IntegrationsEnvironment, receiver: Receiver, posting: Posting): Promise<Attempt> {
  if (receiver.secrets.length === 0) return createFailedAttempt('the secret cannot be decrypted: rotate it');
  const body = JSON.stringify(posting.payload);
  const offset = Date.now();
  const headers = await createHeaders(receiver, posting, body, offset);
  const noResponse = { status: null, responseText: null, retryAfter: 0 };
  try {
    const limits = { milliseconds: timeoutMilliseconds, bytes: maxAnswerBytes };
    const {
      status,
      headers: responseHeaders,
      beginning,
    } = await postExternal(env, receiver.url, { body, headers, ...limits });
    const milliseconds = Date.now() - offset;
    const error = getVerdict({ status }) === 'delivered' ? null : `returned ${status}`;
    const retryAfter = parseRetryAfter(responseHeaders.get('retry-after'), Date.now());
    return { at: offset, milliseconds, status, error, responseText: toReadableText(beginning), retryAfter };
  } catch (error) {
    if (!(error instanceof ExternalFetchError)) throw error;
    return { ...noResponse, at: offset, milliseconds: Date.now() - offset, error: error.message };
  }
}

const encoder = new TextEncoder();

async function signText(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return toHex(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}

/** Returns the signature header: the time and the body, signed with each valid secret. */
async function createSignature(secrets: string[], body: string, now: number): Promise<string> {
  const time = Math.floor(now / 1000);
  const signatures = await Promise.all(secrets.map((secret) => signText(secret, `${time}.${body}`)));
  return [`t=${time}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

type SecretFields = 'secret' | 'previousSecret' | 'previousUntil' | 'sealedFor';

/** Returns the address and the currently valid secrets, newest first. Secrets that cannot be unsealed are omitted. */
export async function getReceiver(
  env: IntegrationsEnvironment,
  { url, secret, previousSecret, previousUntil, sealedFor }: Pick<Subscriber, 'url' | SecretFields>,
): Promise<Receiver> {
  const isPreviousValid = previousUntil !== null && previousUntil > Date.now();
  const sealedSecrets = [secret, isPreviousValid ? previousSecret : null].flatMap((each) => each ?? []);
  const secrets = await Promise.all(sealedSecrets.map((each) => unsealSecret(env, sealedFor, each)));
  return { url: url ?? '', secrets: secrets.flatMap((each) => each ?? []) };
}

/** A secret cannot be unsealed after the server's secret was replaced without keeping the former one. */
async function unsealSecret(
  env: IntegrationsEnvironment,
  owner: string,
  sealedSecret: string,
): Promise<string | undefined> {
  try {
    return String(await unseal(env, owner, sealedSecret));
  } catch (error) {
    log('error', 'could not decrypt the secret of a subscription', { owner, cause: describeError(error) });
    return undefined;
  }
}
