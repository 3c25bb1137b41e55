import { connect, readRows, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Environment } from './environment.ts';
import { log } from './errors.ts';

type Sql = ReturnType<typeof sql>;

const maxRowsPerPart = 1000;
/** A worker's run may send D1 a thousand statements, and may have more than one table to clean. */
const maxParts = 200;

const deletedRow = selection({});

/**
 * Deletes what is over, in statements of a bounded number of rows, so that requests come between them; what one run does
 * not get to is left for the next. `part` is a statement that deletes `limit` rows at most, found by an index, and returns
 * a row for each.
 */
export async function deleteInParts(
  env: Pick<Environment, 'DB'>,
  what: string,
  part: (limit: Sql) => Sql,
): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const limit = sql.raw(String(maxRowsPerPart));
  let rows = 0;
  for (let parts = 0; parts < maxParts; parts += 1) {
    const deleted = await readRows(db, deletedRow.query(part(limit)));
    rows += deleted.length;
    if (deleted.length < maxRowsPerPart) break;
  }
  log('info', 'deleted what was over', { what, rows, ...cost });
}
