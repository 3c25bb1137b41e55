import type { Database, Statement } from '@octavo/db';
import { openapiObjects, runBatch } from '@octavo/db';
import { randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

const hour = 3_600_000;
/** Longer than any request or run of a job, which refers to the object at its end. */
const graceMilliseconds = 24 * hour;
/** Longer than anybody reads an object that was still referred to when the reading began. */
const readingMilliseconds = hour;
const keyLength = 20;

/** Uploads bytes under a new key. They go after a day, unless `keepObjects` is written by then. */
export async function uploadObject(
  { db, env }: { db: Database; env: Pick<PublishingEnvironment, 'RENDERED'> },
  bytes: Uint8Array,
): Promise<string> {
  const key = `specs/${randomString(keyLength)}`;
  await runBatch(db, [db.insert(openapiObjects).values({ key, sweepAt: Date.now() + graceMilliseconds })]);
  await env.RENDERED.put(key, bytes);
  return key;
}

const are = (keys: string[]) => sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;

/** Written in the batch of what refers to them. */
export const keepObjects = (db: Database, keys: string[]): Statement =>
  db.run(sql`UPDATE openapi_objects SET sweep_at = NULL WHERE ${are(keys)}`);

/** Written in the batch of what refers to them no more. */
export const dropObjects = (db: Database, keys: ReturnType<typeof sql>): Statement =>
  db.run(sql`UPDATE openapi_objects SET sweep_at = ${Date.now() + readingMilliseconds} WHERE key IN (${keys})`);
