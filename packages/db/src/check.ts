import type { ApiError } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Statement } from './batch.ts';
import { CommitConflict, must } from './commit.ts';
import type { Database } from './connect.ts';
import { retryOnConflict } from './retry.ts';

/** What must hold while something is written, and the answer where it does not. */
export interface Check {
  holds: SQL;
  /** What `otherwise` is told where the check does not hold: a text, such as the id that is to blame. */
  culprit?: SQL;
  otherwise: (culprit: string | null) => ApiError;
}

/** The answer to the first check that does not hold. */
export async function firstBroken(db: Database, checks: Check[]): Promise<ApiError | undefined> {
  if (checks.length === 0) return undefined;
  const cases = checks.map(
    ({ holds, culprit = sql`NULL` }, index) =>
      sql`WHEN NOT (${holds}) THEN json_array(${sql.raw(String(index))}, ${culprit})`,
  );
  const [row] = await db.all<{ broken: string | null }>(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`);
  if (row?.broken == null) return undefined;
  const [index, culprit] = JSON.parse(row.broken) as [number, string | null];
  return checks[index]?.otherwise(culprit);
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
