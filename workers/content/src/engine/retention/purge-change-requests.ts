import { given, onlyRow, purgeDiscussions, readRows, selection } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

const leftRow = selection({ discussed: given(Boolean), requests: given(Number) });

/** Reactions, replies and comments first, and change requests once none of these are left. */
export const purgeChangeRequests: Stage = async (db, { space }) => {
  const left = leftRow.with({
    discussed: sql.join(
      ['reactions', 'comment_replies', 'comments'].map((table) => isIn(table, space)),
      sql` OR `,
    ),
    requests: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM change_requests WHERE space = ${space} LIMIT ${maxRows}))`,
  });
  const { discussed, requests } = onlyRow(await readRows(db, leftRow.query(sql`SELECT ${left}`)));
  return {
    statements: discussed || requests > 0 ? purgeDiscussions(db, space, maxRows) : [],
    next: { stage: discussed || requests === maxRows ? 'change_requests' : 'search' },
  };
};

const isIn = (table: string, space: SpaceId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;
