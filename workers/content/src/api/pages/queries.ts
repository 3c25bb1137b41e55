import type { RecordOf } from '@octavo/db';
import { computedContents, fromQuery, prepareStatement, selectBranchLineage, selection } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { createLineageCte, isNearest, selectState } from '../../engine/store/lineage.ts';

const { page, source, version, dueAt, takenAt, leasedUntil, failures, error } = aliasedTable(computedContents, 'k');
const stateRow = selection({
  ...{ page, source, version, dueAt, takenAt, leasedUntil, failures, error },
  title: fromQuery(String),
});
export type ComputedStateRecord = RecordOf<typeof stateRow>;

/** Finds the computed pages of the live content that use an integration, ordered by id, after a given page. */
export const findComputedStates = prepareStatement((space: SQL<SpaceId>, after: SQL<string>, limit: SQL<number>) =>
  stateRow.query(sql`
    WITH ${createLineageCte(selectBranchLineage(space))}
    SELECT ${stateRow.with({ title: sql`v.data->>'$.fields.title'` })}
    FROM computed_contents k CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`k.page`)}
    WHERE k.space = ${space} AND k.page > ${after} AND v.deleted = 0 AND ${isNearest}
    ORDER BY k.page LIMIT ${limit}`),
);
