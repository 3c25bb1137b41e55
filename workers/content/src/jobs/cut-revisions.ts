import { changeRequests, given, revisions, selection } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { selectIds } from '../engine/store/lineage.ts';

/** A revision of a space: main has the number 0, a change request its own. */
export interface CutPosition {
  number: number;
  seq: number;
}

const nextRow = selection({
  id: given(revisions.id),
  number: given(changeRequests.number),
  seq: given(revisions.seq),
});

/** The next revisions of main, or of this change request and those after it. */
export const findNextRevisions = (space: SpaceId, { number, seq }: CutPosition, limit: number) =>
  nextRow.query(
    number === 0
      ? sql`SELECT id, 0 AS number, seq FROM revisions WHERE branch = ${space} AND seq > ${seq} ORDER BY seq LIMIT ${limit}`
      : sql`SELECT r.id, cr.number, r.seq FROM change_requests cr CROSS JOIN revisions r
          ON r.branch = cr.id AND r.seq > CASE WHEN cr.number = ${number} THEN ${seq} ELSE 0 END
        WHERE cr.space = ${space} AND cr.number >= ${number} ORDER BY cr.number, r.seq LIMIT ${limit}`,
  );

/** Leaves of the lineages of revisions only their own branch and their space's; found by their ids, not by their space. */
export const cutRevisions = (space: SpaceId, ids: string[]): SQL => sql`
  UPDATE revisions SET lineage = (
    SELECT json_group_array(json(value) ORDER BY key) FROM json_each(lineage) WHERE value->>0 IN (revisions.branch, ${space}))
  WHERE id IN (${selectIds(ids)}) AND +space = ${space} AND json_array_length(lineage) > CASE WHEN branch = ${space} THEN 1 ELSE 2 END`;

/** A condition: the newest revision of main reads its own branch alone. */
export const isHeadCut = (space: SpaceId): SQL => sql`
  (SELECT json_array_length(lineage) FROM revisions WHERE branch = ${space} ORDER BY seq DESC LIMIT 1) = 1`;
