import type { Database, Parameter } from '@octavo/db';
import { pageFeedback, pageFeedbackCounts, prepareQuery, runBatch, selection } from '@octavo/db';
import type { PageRating, SiteId, SpaceId } from '@octavo/schema';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';

const f = aliasedTable(pageFeedback, 'f');
const feedbackRow = selection({ id: f.id, space: f.space, page: f.page, rating: f.rating, ratedAt: f.ratedAt });
export const feedbackOfSite = prepareQuery(
  feedbackRow,
  (select, site: Parameter<SiteId>, time: Parameter<number>, id: Parameter<number>, limit: Parameter<number>) =>
    select
      .from(f)
      .where(and(eq(f.site, site), sql`(${f.ratedAt}, ${f.id}) < (${time}, ${id})`))
      .orderBy(desc(f.ratedAt), desc(f.id))
      .limit(limit),
);

const feedbackId = selection({ id: f.id });

export const oldestFeedback = prepareQuery(feedbackId, (select, before: Parameter<number>, limit: Parameter<number>) =>
  select.from(f).where(sql`${f.ratedAt} < ${before}`).orderBy(f.ratedAt).limit(limit),
);

/**
 * Selects ratings of one deleted site. To find the site, it reads one rating of each site that has ratings, by an
 * index.
 */
export const orphanedFeedback = prepareQuery(feedbackId, (select, limit: Parameter<number>) =>
  select
    .from(f)
    .where(
      sql`${f.site} = (
        WITH RECURSIVE rated(site) AS (
          SELECT (SELECT site FROM page_feedback WHERE site > '' ORDER BY site LIMIT 1)
          UNION ALL
          SELECT (SELECT n.site FROM page_feedback n WHERE n.site > rated.site ORDER BY n.site LIMIT 1)
          FROM rated WHERE rated.site IS NOT NULL
        )
        SELECT site FROM rated WHERE site IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sites WHERE id = rated.site) LIMIT 1)`,
    )
    .limit(limit),
);

const c = aliasedTable(pageFeedbackCounts, 'c');
const countsRow = selection({
  space: c.space,
  page: c.page,
  good: c.good,
  ok: c.ok,
  bad: c.bad,
  ratedAt: c.ratedAt,
});
export const countsOfSite = prepareQuery(
  countsRow,
  (
    select,
    site: Parameter<SiteId>,
    bad: Parameter<number>,
    space: Parameter<string>,
    page: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(c)
      .where(and(eq(c.site, site), sql`(${c.bad}, ${c.space}, ${c.page}) < (${bad}, ${space}, ${page})`))
      .orderBy(desc(c.bad), desc(c.space), desc(c.page))
      .limit(limit),
);

interface NewRating {
  site: SiteId;
  space: SpaceId;
  page: string;
  voter: string;
  rating: PageRating;
}

/** Maximum number of ratings of a page, so that a program that pretends to be many readers cannot fill the database. */
const maxRatings = 10_000;

/**
 * Stores a reader's rating of a page. A reader who rates a page again changes the rating. Beyond 10,000 ratings of a
 * page nothing is stored. One round trip.
 */
export async function storeVote(db: Database, { site, space, page, voter, rating }: NewRating): Promise<void> {
  const count = sql`(SELECT good + ok + bad FROM page_feedback_counts
    WHERE site = ${site} AND space = ${space} AND page = ${page})`;
  await runBatch(db, [
    db.run(sql`INSERT INTO page_feedback (site, space, page, voter, rating, rated_at)
      SELECT ${site}, ${space}, ${page}, ${voter}, ${rating}, ${Date.now()} WHERE COALESCE(${count}, 0) < ${maxRatings}
      ON CONFLICT (site, space, page, voter) DO UPDATE SET rating = excluded.rating, rated_at = excluded.rated_at`),
  ]);
}
