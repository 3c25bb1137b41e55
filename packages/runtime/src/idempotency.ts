import type { Database, RecordOf } from '@octavo/db';
import { idempotencyKeys, readRow, runBatch, selection } from '@octavo/db';
import type { Endpoint } from '@octavo/schema';
import { ApiError, conflict, invalid, supportsIdempotencyKey } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Environment } from './environment.ts';
import { deleteInBatches } from './outbox.ts';
import { createErrorResponse, describeError, log } from './respond.ts';

const keyHeader = 'idempotency-key';
/**
 * A claim that is older than this, and has neither writes nor a response, belongs to a request that was interrupted.
 */
const abandonedAfterMilliseconds = 60_000;
/**
 * Delays, in milliseconds, between the checks of a repeated request that waits for the response to the first request.
 */
const retryDelays = [50, 100, 200, 400, 800, 1500, 3000, 4000];
const retryAfterSeconds = 5;
const retentionMilliseconds = 24 * 60 * 60_000;
/** Signed URLs are valid for at least an hour. */
const signedUrlMilliseconds = 60 * 60_000;
const maxStoredBytes = 256 * 1024;

/** A request with a key. */
export interface KeyedRequest {
  db: Database;
  actor: string;
  requestId: string;
  key: string;
  operation: string;
  fingerprint: string;
  /** Whether the response must not be stored. */
  isSecret: boolean;
  /** Checks the caller's rights again. @throws ApiError */
  authorizeAgain: () => Promise<unknown>;
}

/** Returns the key of a request, if it has one and its endpoint supports keys. @throws ApiError invalid */
export function readKey(endpoint: Endpoint, { headers }: Request): string | undefined {
  const key = supportsIdempotencyKey(endpoint) ? headers.get(keyHeader) : null;
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid([{ path: `headers.${keyHeader}`, message: 'must have 1 to 255 printable ASCII characters' }]);
  }
  return key;
}

/** Returns a hash that is equal for a request and its repetition. */
export async function computeFingerprint(
  { method }: Request,
  { pathname, search }: URL,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const head = new TextEncoder().encode(`${method} ${pathname}${search}\n`);
  const digest = await crypto.subtle.digest('SHA-256', await new Blob([head, body]).arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Does the work once for a key, and returns the first response to repetitions. If the work fails before anything is
 * written, the key is released. After a write, the key is used up even if the response is lost.
 */
export async function respondOnce(keyedRequest: KeyedRequest, work: () => Promise<Response>): Promise<Response> {
  const { storedResponse, hasWaited } = await claimKey(keyedRequest);
  // The caller's rights can be revoked while the request waits.
  const authorize = async () => hasWaited && keyedRequest.authorizeAgain();
  if (storedResponse !== undefined) {
    await authorize();
    return storedResponse;
  }
  let response: Response;
  try {
    await authorize();
    response = await work();
  } catch (error) {
    await keyedRequest.db
      .run(sql`DELETE FROM idempotency_keys WHERE ${isOwnClaim(keyedRequest)} AND state = 'claimed'`)
      .catch(logFailure);
    throw error;
  }
  await storeResponse(keyedRequest, response.clone()).catch(logFailure);
  return response;
}

const logFailure = (cause: unknown): void =>
  log('error', 'could not store the response of an idempotency key', { cause: describeError(cause) });

const isOwnClaim = ({ actor, key, requestId }: KeyedRequest) =>
  sql`actor = ${actor} AND key = ${key} AND request = ${requestId}`;

async function storeResponse(keyedRequest: KeyedRequest, response: Response): Promise<void> {
  const body = await response.text();
  const storedBody = !keyedRequest.isSecret && new TextEncoder().encode(body).length <= maxStoredBytes ? body : null;
  await keyedRequest.db.run(sql`
    UPDATE idempotency_keys SET state = 'done', status = ${response.status}, body = ${storedBody},
      location = ${response.headers.get('location')} WHERE ${isOwnClaim(keyedRequest)}`);
}

interface ClaimResult {
  /** The response of the first request. Undefined if this request has claimed the key itself. */
  storedResponse: Response | undefined;
  hasWaited: boolean;
}

/** Claims the key, or waits for the response of the request that has claimed it. */
async function claimKey(keyedRequest: KeyedRequest): Promise<ClaimResult> {
  let hasWaited = false;
  for (const wait of [...retryDelays, undefined]) {
    const now = Date.now();
    const row = await insertClaim(keyedRequest, now);
    if (row !== undefined && row.request === keyedRequest.requestId) return { storedResponse: undefined, hasWaited };
    const settled = row && replayResponse(row, keyedRequest, now);
    if (settled !== undefined) return { storedResponse: settled, hasWaited };
    hasWaited = true;
    if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  const error = conflict('The first request with this Idempotency-Key is still in progress. Try again later.');
  error.retryAfter = retryAfterSeconds;
  return { storedResponse: createErrorResponse(error, keyedRequest.requestId), hasWaited };
}

const k = idempotencyKeys;
const keyRow = selection({
  request: k.request,
  fingerprint: k.fingerprint,
  state: k.state,
  status: k.status,
  body: k.body,
  location: k.location,
  createdAt: k.createdAt,
});
type KeyRecord = RecordOf<typeof keyRow>;

/**
 * Claims the key if it is free or its claim is abandoned. Returns the current row, unless the key was released
 * meanwhile.
 */
async function insertClaim(keyedRequest: KeyedRequest, now: number): Promise<KeyRecord | undefined> {
  const { db, actor, key, operation, fingerprint, requestId } = keyedRequest;
  const claim = keyRow.query(sql`
    INSERT INTO idempotency_keys (actor, key, operation, fingerprint, request, state, created_at)
    VALUES (${actor}, ${key}, ${operation}, ${fingerprint}, ${requestId}, 'claimed', ${now})
    ON CONFLICT (actor, key) DO UPDATE SET request = excluded.request, created_at = excluded.created_at
      WHERE state = 'claimed' AND fingerprint = excluded.fingerprint
        AND created_at < excluded.created_at - ${abandonedAfterMilliseconds}
    RETURNING ${keyRow}`);
  const selectKey = keyRow.query(sql`SELECT ${keyRow} FROM idempotency_keys WHERE actor = ${actor} AND key = ${key}`);
  return (await readRow(db, claim)) ?? (await readRow(db, selectKey));
}

/** Returns the response for a request whose key is in use, or undefined while the first request can still respond. */
function replayResponse(row: KeyRecord, { fingerprint, requestId }: KeyedRequest, now: number): Response | undefined {
  const reject = (message: string) => createErrorResponse(new ApiError('conflict', message), requestId);
  if (row.fingerprint !== fingerprint) {
    return reject('This Idempotency-Key was used for a different request. Use a new key.');
  }
  if (row.state !== 'done') {
    const isAbandoned = row.createdAt < now - abandonedAfterMilliseconds;
    const isResponseLost = row.state === 'lost' || (row.state === 'committed' && isAbandoned);
    return isResponseLost
      ? reject('The request with this Idempotency-Key succeeded, but its response was lost.')
      : undefined;
  }
  const { body, location } = row;
  const locationNote = location === null ? '' : ` The created object is at ${location}.`;
  if (body === null) {
    return reject(`The request with this Idempotency-Key succeeded. Its response cannot be repeated.${locationNote}`);
  }
  if (hasSignedUrl(body) && row.createdAt < now - signedUrlMilliseconds) {
    return reject(
      `The request with this Idempotency-Key succeeded. The file URLs in its response have expired.${locationNote}`,
    );
  }
  return new Response(body === '' ? null : body, {
    status: row.status ?? 200,
    headers: {
      'idempotency-replayed': 'true',
      ...(body === '' ? {} : { 'content-type': 'application/json', 'cache-control': 'private, no-store' }),
      ...(location === null ? {} : { location }),
    },
  });
}

/**
 * Whether a field of a response is a signed URL. In text content, the quotes around this field name would be escaped.
 */
const hasSignedUrl = (body: string): boolean => body.includes('"downloadURL":"');

/**
 * Ends the claims of requests that a crashed runtime was serving; `started` is the start time of the new one. Keys of
 * requests that wrote nothing are released; the responses of the others are lost. Older claims are already abandoned.
 */
export async function releaseClaims(db: Database, started: number): Promise<void> {
  const dead = sql`created_at >= ${started - abandonedAfterMilliseconds} AND created_at < ${started}`;
  await runBatch(db, [
    db.run(sql`DELETE FROM idempotency_keys WHERE ${dead} AND state = 'claimed'`),
    db.run(sql`UPDATE idempotency_keys SET state = 'lost' WHERE ${dead} AND state = 'committed'`),
  ]);
}

/** Deletes keys that are older than a day. */
export const deleteOldIdempotencyKeys = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'idempotency keys',
    (limit) => sql`DELETE FROM idempotency_keys WHERE (actor, key) IN (
      SELECT actor, key FROM idempotency_keys WHERE created_at < ${Date.now() - retentionMilliseconds}
      ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
  );
