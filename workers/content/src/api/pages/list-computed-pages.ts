import {
  computedContents,
  decodeCursor,
  given,
  paginate,
  type RecordOf,
  readRows,
  selection,
  statement,
} from '@octavo/db';
import type { Handler, Urls } from '@octavo/runtime';
import type { ComputedPageState, content, SpaceId } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, seen, stateAt } from '../../engine/nodes/find-nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';

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
export const listComputedPages: Handler<typeof content.listComputedPages, ContentEnvironment> = async (
  { query: { page: cursor, limit } },
  { db, space, urls },
) => {
  const [after = ''] = decodeCursor(cursor, ['string']) ?? [];
  const rows = await readRows(db, statesOf(space.id, String(after), limit + 1));
  const [now, location] = [Date.now(), locationsIn(space.id, urls)];
  return paginate(rows, limit, {
    item: (row) => presentState(row, now, location),
    cursorOf: (row) => [row.page],
  });
};
