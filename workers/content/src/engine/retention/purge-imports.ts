import { imports } from '@octavo/db';
import { eq, sql } from 'drizzle-orm';
import { archiveKey } from '../imports/plan-archive.ts';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

const maxImports = 50;

/** Imports, also one that runs: without its record no step of it writes any more, and its branch goes next. */
export const purgeImports: Stage = async (db, { space, files }) => {
  const found = await db.select({ id: imports.id }).from(imports).where(eq(imports.space, space)).limit(maxImports);
  if (found.length === 0) return { statements: [], next: { stage: 'branches' } };
  const ids = found.map(({ id }) => id);
  await files.delete(ids.map(archiveKey));
  const some = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return {
    statements: [
      db.run(sql`DELETE FROM import_addresses WHERE (import, address) IN (
        SELECT import, address FROM import_addresses WHERE import IN ${some} LIMIT ${maxRows})`),
      db.run(sql`DELETE FROM imports WHERE id IN ${some} AND space = ${space}
        AND NOT EXISTS (SELECT 1 FROM import_addresses a WHERE a.import = imports.id)`),
    ],
    next: { stage: 'imports' },
  };
};
