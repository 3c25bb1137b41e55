import type { Database, Statement } from '@octavo/db';
import { openapiObjects, runBatch } from '@octavo/db';
import { createRandomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

const hour = 3_600_000;
/**
 * Time for which an uploaded object is stored without references. It is longer than any request or job takes, because
 * these store the reference to the object last.
 */
const graceMilliseconds = 24 * hour;
/**
 * Time for which an object without references is still stored, because responses may already be reading it. It is
 * longer than any such response takes.
 */
const readingMilliseconds = hour;
const keyLength = 20;

/** Uploads bytes under a new key. They are deleted after a day unless `markReferenced` is committed before. */
export async function uploadObject(
  { db, env }: { db: Database; env: Pick<PublishingEnvironment, 'RENDERED'> },
  bytes: Uint8Array | { bytes: ReadableStream<Uint8Array>; length: number },
): Promise<string> {
  const key = `specs/${createRandomString(keyLength)}`;
  await runBatch(db, [db.insert(openapiObjects).values({ key, sweepAt: Date.now() + graceMilliseconds })]);
  const body = bytes instanceof Uint8Array ? bytes : bytes.bytes.pipeThrough(new FixedLengthStream(bytes.length));
  await env.RENDERED.put(key, body);
  return key;
}

const hasKey = (keys: string[]) => sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;

/** Marks an object as referenced. The statement must be part of the batch that stores the reference. */
export const markReferenced = (db: Database, keys: string[]): Statement =>
  db.run(sql`UPDATE openapi_objects SET sweep_at = NULL WHERE ${hasKey(keys)}`);

/** Marks an object as unreferenced. The statement must be part of the batch that removes the reference. */
export const markUnreferenced = (db: Database, keys: ReturnType<typeof sql>): Statement =>
  db.run(sql`UPDATE openapi_objects SET sweep_at = ${Date.now() + readingMilliseconds} WHERE key IN (${keys})`);
