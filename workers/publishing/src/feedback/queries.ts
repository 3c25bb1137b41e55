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

export interface Vote {
  site: SiteId;
  space: SpaceId;
  page: string;
  voter: string;
  rating: PageRating;
}

/** Stores a reader's rating of a page. A reader who rates a page again changes the rating. One round trip. */
export async function storeVote(db: Database, vote: Vote): Promise<void> {
  const given = { rating: vote.rating, ratedAt: Date.now() };
  const { site, space, page, voter } = pageFeedback;
  await runBatch(db, [
    db
      .insert(pageFeedback)
      .values({ ...vote, ...given })
      .onConflictDoUpdate({ target: [site, space, page, voter], set: given }),
  ]);
}
