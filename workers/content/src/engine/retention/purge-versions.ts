import type { Row } from '@octavo/db';
import { number, text } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { deleteVersions, versionColumns } from './delete-versions.ts';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/** One pass through the space's own branch, for what other spaces read stays behind. */
export const purgeVersions: Stage = async (db, { space, after: [kind, id, since] = ['', '', 0] }) => {
  const rows = await db.all<Row>(sql`SELECT ${versionColumns} FROM versions v
    WHERE v.branch = ${space} AND (v.kind, v.id, v.since) > (${kind}, ${id}, ${since})
    ORDER BY v.kind, v.id, v.since LIMIT ${maxRows}`);
  const last = rows.length < maxRows ? undefined : rows.at(-1);
  return {
    statements: deleteVersions(db, rows),
    next:
      last === undefined
        ? { stage: 'revisions' }
        : { stage: 'versions', after: [text(last, 'kind'), text(last, 'id'), number(last, 'since')] },
  };
};
