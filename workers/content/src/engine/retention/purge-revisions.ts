import { given, readRows, revisions, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

const idRow = selection({ id: given(revisions.id) });

/** Those of the space's own branch: by the others their branches are found, and a purge may begin beyond that stage. */
export const purgeRevisions: Stage = async (db, { space }) => {
  const some = sql`SELECT id FROM revisions WHERE branch = ${space} AND space = ${space} LIMIT ${maxRows}`;
  const found = await readRows(db, idRow.query(some));
  return {
    statements: [db.run(sql`DELETE FROM revisions WHERE id IN (${some})`)],
    next: { stage: found.length < maxRows ? 'space' : 'revisions' },
  };
};
