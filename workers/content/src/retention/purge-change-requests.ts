import type { Row } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/** Change requests are another worker's: a trigger deletes `maxRows` of them each time that the purge is touched. */
export const purgeChangeRequests: Stage = async (db, { space }) => {
  const found = await db.all<Row>(sql`SELECT id FROM change_requests WHERE space = ${space} LIMIT ${maxRows}`);
  const touch = db.run(
    sql`UPDATE spaces SET purging_at = ${Date.now()} WHERE id = ${space} AND purging_at IS NOT NULL`,
  );
  return {
    statements: found.length > 0 ? [touch] : [],
    next: { stage: found.length < maxRows ? 'search' : 'change_requests' },
  };
};
