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

/** Selects ratings of deleted sites. It reads one rating of each site that has some, by an index. */
const orphanedFeedback = prepareQuery(selection({ id: f.id }), (select, limit: Parameter<number>) =>
  select
    .from(f)
    .where(
      sql`${f.site} IN (
        WITH RECURSIVE rated(site) AS (
          SELECT MIN(site) FROM page_feedback
          UNION ALL SELECT (SELECT MIN(site) FROM page_feedback WHERE site > rated.site) FROM rated WHERE site IS NOT NULL
        ) SELECT site FROM rated WHERE site IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sites WHERE id = rated.site))`,
    )
    .limit(limit),
);

/** Deletes ratings that are older than a year, and those of deleted sites. */
export async function sweepFeedback(env: PublishingEnvironment, now = Date.now()): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let sweeps = 0, count = maxSwept; sweeps < maxSweeps && count === maxSwept; sweeps += 1) {
    const oldRows = await readRows(db, oldestFeedback(now - keptMilliseconds, maxSwept));
    const rows = oldRows.length > 0 ? oldRows : await readRows(db, orphanedFeedback(maxSwept));
    count = rows.length > 0 ? maxSwept : 0;
    const ids = JSON.stringify(rows.map(({ id }) => id));
    if (count > 0)
      await runBatch(db, [db.run(sql`DELETE FROM page_feedback WHERE id IN (SELECT value FROM json_each(${ids}))`)]);
  }
}
