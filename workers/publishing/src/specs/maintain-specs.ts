import type { Database, Parameter } from '@octavo/db';
import {
  abortUnless,
  commit,
  connect,
  hasQueries,
  ignoreConflict,
  openapiObjects,
  openapiSpecs,
  prepareQuery,
  readRows,
  runBatch,
  selection,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { maxAttempts, sendEvents } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { createId } from '@octavo/schema';
import { aliasedTable, and, isNotNull, lte, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { createAbandonedState } from './process-openapi.ts';
import { rereadMilliseconds } from './specs.ts';

const minute = 60_000;
/** A run of a queue consumer is always shorter than this. The other constants are limits of one cron run. */
const maxRunMilliseconds = 20 * minute;
const maxReadAtOnce = 20;
const maxSweptAtOnce = 500;

/** Fails the specifications whose last attempt was killed before it could report the failure. */
export async function failAbandonedSpecs(
  env: PublishingEnvironment,
  sentUntil = Date.now() - maxRunMilliseconds,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const isAbandoned = sql`state <> 'complete' AND (id, source) IN (
    SELECT data->>'spec', data->>'source' FROM outbox WHERE done_at IS NULL
      AND attempts >= ${sql.raw(String(maxAttempts))} AND type = 'process_openapi' AND sent_at < ${sentUntil})`;
  await runBatch(db, [db.update(openapiSpecs).set(createAbandonedState()).where(isAbandoned)]);
}

const s = aliasedTable(openapiSpecs, 's');
const dueSpecs = prepareQuery(
  selection({ id: s.id, organization: s.organization, source: s.source, readAt: s.readAt }),
  (select, now: Parameter<number>, limit: Parameter<number>) =>
    select
      .from(s)
      .where(and(isNotNull(s.readAt), lte(s.readAt, now)))
      .orderBy(s.readAt)
      .limit(limit),
);

/** Queues the source URLs that are due to be read again, at most 20 per minute. */
export async function rereadSpecs(env: PublishingEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const dueSpecifications = await readRows(db, dueSpecs(Date.now(), maxReadAtOnce));
  if (dueSpecifications.length === 0) return;
  const jobs = dueSpecifications.map(
    ({ id, organization, source }): NewEvent => ({
      type: 'process_openapi',
      organization,
      data: { spec: id, source, again: true },
    }),
  );
  const result = await ignoreConflict(() => queueReads(db, dueSpecifications, jobs));
  if (result !== undefined) sendEvents(env, background, result.messages);
}

/** Fails if another run of the cron already queued them. */
function queueReads(db: Database, specs: { id: string; readAt: number | null }[], jobs: NewEvent[]) {
  const currentSpecs = sql`(SELECT value->>'id', value->>'readAt' FROM json_each(${JSON.stringify(specs)}))`;
  const areDue = sql`(id, read_at) IN ${currentSpecs}`;
  const statements = [
    abortUnless(db, sql`(SELECT COUNT(*) FROM openapi_specs WHERE ${areDue}) = ${specs.length}`),
    db
      .update(openapiSpecs)
      .set({ readAt: Date.now() + rereadMilliseconds })
      .where(areDue),
  ];
  return commit(db, { actor: 'system', requestId: createId('request') }, statements, jobs);
}

const o = aliasedTable(openapiObjects, 'o');
const unreferencedObjects = prepareQuery(
  selection({ key: o.key }),
  (select, now: Parameter<number>, limit: Parameter<number>) =>
    select
      .from(o)
      .where(and(isNotNull(o.sweepAt), lte(o.sweepAt, now)))
      .orderBy(o.sweepAt)
      .limit(limit),
);

/** Deletes unreferenced objects before their rows, so that an interrupted run finds them again. */
export async function sweepObjects(env: PublishingEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const now = Date.now();
  for (let sweptCount = maxSweptAtOnce; sweptCount === maxSweptAtOnce && hasQueries(env, 2); ) {
    const unreferenced = await readRows(db, unreferencedObjects(now, maxSweptAtOnce));
    sweptCount = unreferenced.length;
    if (sweptCount === 0) return;
    const keys = unreferenced.map(({ key }) => key);
    await env.RENDERED.delete(keys);
    await runBatch(db, [
      db.run(sql`DELETE FROM openapi_objects WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`),
    ]);
  }
}
