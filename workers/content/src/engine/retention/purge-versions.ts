import { readRows } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { deleteVersions, versionRow } from './delete-versions.ts';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/** One pass through the space's own branch, for what other spaces read stays behind. */
export const purgeVersions: Stage = async (db, { space, after: [kind, id, since] = ['', '', 0] }) => {
  const found = versionRow.query(sql`SELECT ${versionRow} FROM versions v
    WHERE v.branch = ${space} AND (v.kind, v.id, v.since) > (${kind}, ${id}, ${since})
    ORDER BY v.kind, v.id, v.since LIMIT ${maxRows}`);
  const rows = await readRows(db, found);
  const last = rows.length < maxRows ? undefined : rows.at(-1);
  return {
    statements: deleteVersions(db, rows),
    next: last === undefined ? { stage: 'revisions' } : { stage: 'versions', after: [last.kind, last.id, last.since] },
  };
};
