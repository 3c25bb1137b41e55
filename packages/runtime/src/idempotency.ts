import type { Database, RecordOf } from '@octavo/db';
import { idempotencyKeys, readRow, runBatch, selection } from '@octavo/db';
import type { Endpoint } from '@octavo/schema';
import { ApiError, conflict, invalid, takesKey } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Environment } from './environment.ts';
import { deleteInBatches } from './outbox.ts';
import { describeError, errorResponse, log } from './respond.ts';

const keyHeader = 'idempotency-key';
/** A claim this old, with nothing written and no answer, is of a request that died. */
const abandonedAfterMilliseconds = 60_000;
/** How long a repeated request waits for the first one, look by look. */
const retryDelays = [50, 100, 200, 400, 800, 1500, 3000, 4000];
const retryAfterSeconds = 5;
const retentionMilliseconds = 24 * 60 * 60_000;
/** Signed addresses work for an hour at least. */
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
  /** The answer is not kept. */
  isSecret: boolean;
  /** Asks for the caller's rights anew. @throws ApiError */
  authorizeAgain: () => Promise<unknown>;
}

/** The key of a request, where it has one and its endpoint takes one. @throws ApiError invalid */
export function readKey(endpoint: Endpoint, { headers }: Request): string | undefined {
  const key = takesKey(endpoint) ? headers.get(keyHeader) : null;
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid([{ path: `headers.${keyHeader}`, message: 'must have 1 to 255 printable ASCII characters' }]);
  }
  return key;
}

/** What two requests must have in common for the second to be the first one sent again. */
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
 * Does the work once for a key, and answers whoever sends it again with the first answer. What fails gives the key back
 * as long as nothing is written; from then on the key is spent, whatever becomes of the answer.
 */
export async function respondOnce(keyed: KeyedRequest, work: () => Promise<Response>): Promise<Response> {
  const { answer, hasWaited } = await claimKey(keyed);
  // Nobody outlives his rights by waiting.
  const authorize = async () => hasWaited && keyed.authorizeAgain();
  if (answer !== undefined) {
    await authorize();
    return answer;
  }
  let response: Response;
  try {
    await authorize();
    response = await work();
  } catch (error) {
    await keyed.db
      .run(sql`DELETE FROM idempotency_keys WHERE ${isOwnClaim(keyed)} AND state = 'claimed'`)
      .catch(logFailure);
    throw error;
  }
  await storeResponse(keyed, response.clone()).catch(logFailure);
  return response;
}

const logFailure = (cause: unknown): void =>
  log('error', 'could not store the response of an idempotency key', { cause: describeError(cause) });

const isOwnClaim = ({ actor, key, requestId }: KeyedRequest) =>
  sql`actor = ${actor} AND key = ${key} AND request = ${requestId}`;

async function storeResponse(keyed: KeyedRequest, response: Response): Promise<void> {
  const body = await response.text();
  const storedBody = !keyed.isSecret && new TextEncoder().encode(body).length <= maxStoredBytes ? body : null;
  await keyed.db.run(sql`
    UPDATE idempotency_keys SET state = 'done', status = ${response.status}, body = ${storedBody},
      location = ${response.headers.get('location')} WHERE ${isOwnClaim(keyed)}`);
}

interface ClaimResult {
  /** Undefined where the key is this request's. */
  answer: Response | undefined;
  hasWaited: boolean;
}

/** Takes the key, or the answer for a request whose key another one has. */
async function claimKey(keyed: KeyedRequest): Promise<ClaimResult> {
  let hasWaited = false;
  for (const wait of [...retryDelays, undefined]) {
    const now = Date.now();
    const row = await insertClaim(keyed, now);
    if (row !== undefined && row.request === keyed.requestId) return { answer: undefined, hasWaited };
    const settled = row && replayResponse(row, keyed, now);
    if (settled !== undefined) return { answer: settled, hasWaited };
    hasWaited = true;
    if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  const error = conflict('The first request with this Idempotency-Key is still in progress. Try again later.');
  error.retryAfter = retryAfterSeconds;
  return { answer: errorResponse(error, keyed.requestId), hasWaited };
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

/** Takes the key where it is free or its claim abandoned; gives the row as it stands then, if it was not given back. */
async function insertClaim(keyed: KeyedRequest, now: number): Promise<KeyRecord | undefined> {
  const { db, actor, key, operation, fingerprint, requestId } = keyed;
  const claim = keyRow.query(sql`
    INSERT INTO idempotency_keys (actor, key, operation, fingerprint, request, state, created_at)
    VALUES (${actor}, ${key}, ${operation}, ${fingerprint}, ${requestId}, 'claimed', ${now})
    ON CONFLICT (actor, key) DO UPDATE SET request = excluded.request, created_at = excluded.created_at
      WHERE state = 'claimed' AND fingerprint = excluded.fingerprint
        AND created_at < excluded.created_at - ${abandonedAfterMilliseconds}
    RETURNING ${keyRow}`);
  const stored = keyRow.query(sql`SELECT ${keyRow} FROM idempotency_keys WHERE actor = ${actor} AND key = ${key}`);
  return (await readRow(db, claim)) ?? (await readRow(db, stored));
}

/** What a request is told that finds the key taken; undefined while the first one may still answer. */
function replayResponse(row: KeyRecord, { fingerprint, requestId }: KeyedRequest, now: number): Response | undefined {
  const reject = (message: string) => errorResponse(new ApiError('conflict', message), requestId);
  if (row.fingerprint !== fingerprint) {
    return reject('This Idempotency-Key was used for a different request. Use a new key.');
  }
  if (row.state !== 'done') {
    const isAbandoned = row.createdAt < now - abandonedAfterMilliseconds;
    const isLost = row.state === 'lost' || (row.state === 'committed' && isAbandoned);
    return isLost ? reject('The request with this Idempotency-Key succeeded, but its response was lost.') : undefined;
  }
  const { body, location } = row;
  const where = location === null ? '' : ` The created object is at ${location}.`;
  if (body === null) {
    return reject(`The request with this Idempotency-Key succeeded. Its response cannot be repeated.${where}`);
  }
  if (hasSignedUrl(body) && row.createdAt < now - signedUrlMilliseconds) {
    return reject(
      `The request with this Idempotency-Key succeeded. The file URLs in its response have expired.${where}`,
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

/** Whether a field of an answer is a signed address: in a text, the quotes around such a name would be escaped. */
const hasSignedUrl = (body: string): boolean => body.includes('"downloadURL":"');

/**
 * Ends the claims of requests that a runtime took with it, which `started` tells the end of: the keys of those that had
 * written nothing are free, and the answers of the others are lost. Older claims than these are abandoned already.
 */
export async function releaseClaims(db: Database, started: number): Promise<void> {
  const dead = sql`created_at >= ${started - abandonedAfterMilliseconds} AND created_at < ${started}`;
  await runBatch(db, [
    db.run(sql`DELETE FROM idempotency_keys WHERE ${dead} AND state = 'claimed'`),
    db.run(sql`UPDATE idempotency_keys SET state = 'lost' WHERE ${dead} AND state = 'committed'`),
  ]);
}

/** Forgets keys older than a day. */
export const deleteOldIdempotencyKeys = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'idempotency keys',
    (limit) => sql`DELETE FROM idempotency_keys WHERE (actor, key) IN (
      SELECT actor, key FROM idempotency_keys WHERE created_at < ${Date.now() - retentionMilliseconds}
      ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
  );
