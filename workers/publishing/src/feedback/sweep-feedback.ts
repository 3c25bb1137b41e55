import { connect, hasQueries, readRows, runBatch } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { oldestFeedback, orphanedFeedback } from './queries.ts';

const keptMilliseconds = 365 * 24 * 60 * 60_000;
/**
 * A run deletes ratings in chunks. These are the maximum number of ratings in a chunk and the maximum number of chunks
 * in a run.
 */
const maxSwept = 1000;
const maxSweeps = 100;

/** Deletes ratings that are older than a year, and those of deleted sites. */
export async function sweepFeedback(env: PublishingEnvironment, now = Date.now()): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let sweeps = 0, count = maxSwept; sweeps < maxSweeps && count === maxSwept && hasQueries(env, 3); sweeps += 1) {
    const oldRows = await readRows(db, oldestFeedback(now - keptMilliseconds, maxSwept));
    const rows = oldRows.length > 0 ? oldRows : await readRows(db, orphanedFeedback(maxSwept));
    count = rows.length > 0 ? maxSwept : 0;
    const ids = JSON.stringify(rows.map(({ id }) => id));
    if (count > 0)
      await runBatch(db, [db.run(sql`DELETE FROM page_feedback WHERE id IN (SELECT value FROM json_each(${ids}))`)]);
  }
}
