import type { Parameter } from '@octavo/db';
import { connect, pageFeedback, prepareQuery, readRows, runBatch, selection } from '@octavo/db';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

const keptMilliseconds = 365 * 24 * 60 * 60_000;
/** Limits of the ratings that one run deletes, in chunks. */
const maxSwept = 1000;
const maxSweeps = 100;

const f = aliasedTable(pageFeedback, 'f');
const oldestFeedback = prepareQuery(
  selection({ id: f.id }),
  (select, before: Parameter<number>, limit: Parameter<number>) =>
    select.from(f).where(sql`${f.ratedAt} < ${before}`).orderBy(f.ratedAt).limit(limit),
);

/** Deletes ratings that are older than a year. */
export async function sweepFeedback(env: PublishingEnvironment, now = Date.now()): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let sweeps = 0, count = maxSwept; sweeps < maxSweeps && count === maxSwept; sweeps += 1) {
    const rows = await readRows(db, oldestFeedback(now - keptMilliseconds, maxSwept));
    count = rows.length;
    const ids = JSON.stringify(rows.map(({ id }) => id));
    if (count > 0)
      await runBatch(db, [db.run(sql`DELETE FROM page_feedback WHERE id IN (SELECT value FROM json_each(${ids}))`)]);
  }
}
