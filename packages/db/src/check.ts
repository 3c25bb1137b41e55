import type { ApiError } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Statement } from './commit.ts';
import { CommitConflict, must } from './commit.ts';
import type { Database } from './connect.ts';
import { retryOnConflict } from './retry.ts';

/** What must hold while something is written, and the answer where it does not. */
export interface Check {
  holds: SQL;
  otherwise: () => ApiError;
}

/** The answer to the first check that does not hold. */
export async function firstBroken(db: Database, checks: Check[]): Promise<ApiError | undefined> {
  if (checks.length === 0) return undefined;
  const cases = checks.map(({ holds }, index) => sql`WHEN NOT (${holds}) THEN ${sql.raw(String(index))}`);
  const [row] = await db.all<{ broken: number | null }>(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`);
  return checks[row?.broken ?? -1]?.otherwise();
}

/** Writes in one batch that the checks hold for; a batch that one of them refused is told from one that lost a race. */
export function commitChecked<Value>(
  db: Database,
  checks: Check[],
  write: (guards: Statement[]) => Promise<Value>,
): Promise<Value> {
  const guards = checks.map(({ holds }) => must(db, holds));
  return retryOnConflict(async () => {
    try {
      return await write(guards);
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
      throw (await firstBroken(db, checks)) ?? error;
    }
  });
}
