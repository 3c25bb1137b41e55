import type { Database } from '@octavo/db';
import { computedContents, readRow, readRows, selection } from '@octavo/db';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

const { space, page, organization, integration, source, version, former, hash, failures, leasedUntil } =
  computedContents;
const takenRow = selection({
  ...{ space, page, organization, integration, source },
  ...{ version, former, hash, failures, leasedUntil },
});
const dueRow = selection({ space, page });

/** A computed page whose pages are made; `leasedUntil` is until when nobody else does, `failures` has this time among them. */
export type TakenContent = Pick<typeof computedContents.$inferSelect, keyof typeof takenRow.fields>;
export type DueContent = Pick<TakenContent, keyof typeof dueRow.fields>;

/** Longer than making the pages may take. */
const leaseMilliseconds = 300_000;
/** Pages are made again then, also where nothing has changed that the platform knows of. */
export const againMilliseconds = 60 * 60_000;
const firstRetryMilliseconds = 60_000;

const maxOrganizations = sql.raw('500');
const maxOfOne = sql.raw('20');
const maxDue = sql.raw('100');

const isDue = (now: number): SQL => sql`due_at <= ${now} AND leased_until <= ${now}`;

/** How long after a failure it is tried again, by the failures until then. */
export const retryAfter = (failures: number): number =>
  Math.min(againMilliseconds, firstRetryMilliseconds * 2 ** Math.min(failures - 1, 10));

/** A SELECT of organizations that have computed pages, in the order of their ids after one: a row is read of each. */
function organizationsAfter(id: string): SQL {
  const next = (after: SQL) => sql`(SELECT organization FROM computed_contents INDEXED BY computed_contents_due
    WHERE organization > ${after} ORDER BY organization LIMIT 1)`;
  return sql`SELECT id FROM (WITH RECURSIVE found(id) AS (SELECT ${next(sql`${id}`)}
    UNION ALL SELECT ${next(sql`found.id`)} FROM found WHERE found.id IS NOT NULL LIMIT ${maxOrganizations})
    SELECT id FROM found WHERE id IS NOT NULL)`;
}

/**
 * What is due: of each organization one, and then another, first of the one that had its last turn the longest ago. Where
 * there are more organizations than are looked at, each comes in the end.
 */
export function dueInTurns(db: Database): Promise<DueContent[]> {
  return readRows(
    db,
    dueRow.query(sql`
      WITH each_one(id) AS MATERIALIZED (${organizationsAfter('')} UNION ${organizationsAfter(newId('organization'))}),
      turns(last, due) AS (
        SELECT (SELECT MAX(taken_at) FROM computed_contents t INDEXED BY computed_contents_taken
            WHERE t.organization = o.id),
          (SELECT json_group_array(json_array(space, page)) FROM (
            SELECT space, page FROM computed_contents INDEXED BY computed_contents_due
            WHERE organization = o.id AND ${isDue(Date.now())} ORDER BY due_at LIMIT ${maxOfOne}))
        FROM each_one o)
      SELECT d.value->>0 AS space, d.value->>1 AS page FROM turns CROSS JOIN json_each(turns.due) d
      ORDER BY d.key, turns.last LIMIT ${maxDue}`),
  );
}

/** Takes what is due still, for one taker alone. It counts as a failure until it is kept: what ends a run is tried less often. */
export function takeContent(db: Database, { space, page }: DueContent): Promise<TakenContent | undefined> {
  const now = Date.now();
  return readRow(
    db,
    takenRow.query(sql`
      UPDATE computed_contents SET taken_at = ${now}, leased_until = ${now + leaseMilliseconds}, failures = failures + 1,
        due_at = ${now} + MAX(${leaseMilliseconds},
          MIN(${againMilliseconds}, ${firstRetryMilliseconds} << MIN(failures, 10)))
      WHERE space = ${space} AND page = ${page} AND ${isDue(now)} RETURNING ${takenRow}`),
  );
}
