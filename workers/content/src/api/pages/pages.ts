import type { RecordOf } from '@octavo/db';
import { computedContents, decodeCursor, given, paginate, readRows, runBatch, selection, statement } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { ComputedPageState, SpaceId } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { versionsOf, withMadePages } from '../../engine/computed/computed-pages.ts';
import { sourcesIn } from '../../engine/computed/sources.ts';
import { withLateCovers } from '../../engine/links/late-links.ts';
import { presentTree, readPages, root } from '../../engine/reading/page-presenter.ts';
import { findPageById, findPageByPath, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import { ShownPages, scopeOfSpace } from '../../engine/reading/visibility.ts';
import { readForeign } from '../../engine/sites/places.ts';
import { allNodesIn, lineageCte, lineageOfBranch, seen, stateAt } from '../../engine/store/lineage.ts';
import { nodesOf, pageFields } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';

export const getPageById = handler('getPageById', async ({ params, query }, context) => {
  const reading = pointReading(context);
  return presentRead(await findPageById(params.pageId, partsOf(query), reading), query, reading);
});

export const getPageByPath = handler('getPageByPath', async ({ params, query }, context) => {
  const reading = pointReading(context);
  return presentRead(await findPageByPath(params.pagePath, partsOf(query), reading), query, reading);
});

/**
 * The page tree at a point, whole or down to a depth, in one round trip, and one more where a cover is not yet found. A visitor's is read whole: what link pages lead
 * to may be hidden anywhere, or stand in other spaces, which takes one more.
 */
export const listPages = handler('listPages', async ({ query: { depth, metadata, computed } }, context) => {
  const { db, point, space, urls, visitor, alsoFollowsFrom } = context;
  const at = { parent: '', above: root, depth };
  const to = { urls, base: `/spaces/${space.id}`, metadata };
  const lineage = JSON.stringify(point.lineage);
  const rows = await runBatch(db, {
    pages: visitor === undefined ? readPages(point, { space: space.id, depth }) : allNodesIn(lineage, 'page'),
    variables: visitor === undefined ? [] : allNodesIn(lineage, 'variable'),
    sources: computed ? sourcesIn(lineage, space.id) : [],
  });
  alsoFollowsFrom(versionsOf(rows.sources));
  const pages = computed ? withMadePages(nodesOf(rows.pages), rows.sources) : nodesOf(rows.pages);
  const reading = { db, point, urls, space: space.id };
  if (visitor === undefined)
    return { pages: presentTree(await withLateCovers(pages, { ...reading, shown: undefined }), at, to) };
  const hasConditions = pages.some((page) => Boolean(pageFields(page).condition));
  const shown = new ShownPages(scopeOfSpace(nodesOf(rows.variables), visitor.claims), pages, hasConditions);
  const told = pages.filter(({ id }) => shown.has(id));
  const foreign = await readForeign({ texts: [], pages: told }, { ...context, space: space.id, visitor });
  return { pages: presentTree(await withLateCovers(pages, { ...reading, shown }), at, { ...to, shown, foreign }) };
});

const { page, source, version, dueAt, takenAt, leasedUntil, failures, error } = aliasedTable(computedContents, 'k');
const stateRow = selection({
  ...{ page, source, version, dueAt, takenAt, leasedUntil, failures, error },
  title: given(String),
});
type StateRecord = RecordOf<typeof stateRow>;

const statesOf = statement((space: SQL<SpaceId>, after: SQL<string>, limit: SQL<number>) =>
  stateRow.query(sql`
    WITH ${lineageCte(lineageOfBranch(space))}
    SELECT ${stateRow.with({ title: sql`v.data->>'$.fields.title'` })}
    FROM computed_contents k CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`k.page`)}
    WHERE k.space = ${space} AND k.page > ${after} AND v.deleted = 0 AND ${seen}
    ORDER BY k.page LIMIT ${limit}`),
);

/** Nothing is kept of a run that the system ended, but that it began. */
const unfinished = 'The last run did not come to its end.';

function presentState(row: StateRecord, now: number, location: (page: string) => string): ComputedPageState {
  const isUnderWay = row.leasedUntil > now;
  // It counts as a failure until it ends.
  const failed = isUnderWay ? Math.max(0, row.failures - 1) : row.failures;
  const message = row.error ?? (failed > 0 ? unfinished : null);
  return {
    object: 'computed-page',
    id: row.page,
    title: row.title,
    type: row.source.type,
    processingState: isUnderWay ? 'progress' : row.takenAt === 0 ? 'pending' : 'complete',
    ...(row.version === null ? {} : { lastVersion: row.version }),
    ...(row.takenAt === 0 ? {} : { lastProcessedAt: timestamp(row.takenAt) }),
    nextProcessAt: timestamp(row.dueAt),
    failures: failed,
    ...(message === null ? {} : { lastProcessErrorMessage: message }),
    urls: { location: location(row.page) },
  };
}

const locationsIn = (space: SpaceId, urls: Urls) => (id: string) =>
  urls.location(`/spaces/${space}/content/page/${id}`);

/** The computed pages of the live content that integrations make pages of, by their ids. */
export const listComputedPages = handler(
  'listComputedPages',
  async ({ query: { page: cursor, limit } }, { db, space, urls }) => {
    const [after = ''] = decodeCursor(cursor, ['string']) ?? [];
    const rows = await readRows(db, statesOf(space.id, String(after), limit + 1));
    const [now, location] = [Date.now(), locationsIn(space.id, urls)];
    return paginate(rows, limit, {
      item: (row) => presentState(row, now, location),
      cursorOf: (row) => [row.page],
    });
  },
);
