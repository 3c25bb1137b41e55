import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/**
 * Change requests and comments are another worker's: a trigger deletes up to `maxRows` each of reactions, replies and
 * comments each time that the purge is touched, and change requests once none of these are left.
 */
export const purgeChangeRequests: Stage = async (db, { space }) => {
  const [left] = await db.all<{ discussed: number; requests: number }>(sql`
    SELECT ${sql.join(
      ['reactions', 'comment_replies', 'comments'].map((table) => isIn(table, space)),
      sql` OR `,
    )} AS discussed,
      (SELECT COUNT(*) FROM (SELECT 1 FROM change_requests WHERE space = ${space} LIMIT ${maxRows})) AS requests`);
  const discussed = left?.discussed === 1;
  const requests = left?.requests ?? 0;
  const touch = db.run(
    sql`UPDATE spaces SET purging_at = ${Date.now()} WHERE id = ${space} AND purging_at IS NOT NULL`,
  );
  return {
    statements: discussed || requests > 0 ? [touch] : [],
    next: { stage: discussed || requests === maxRows ? 'change_requests' : 'search' },
  };
};

const isIn = (table: string, space: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;
