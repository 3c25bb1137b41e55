import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Statement } from './batch.ts';
import { readRow } from './batch.ts';
import { CommitConflict, must } from './commit.ts';
import type { Database } from './connect.ts';
import { given, maybe, parsed } from './fields.ts';
import { retryOnConflict } from './retry.ts';
import { selection } from './selection.ts';

/** What must hold while something is written, and the answer where it does not. */
export interface Check {
  holds: SQL;
  /** What `otherwise` is told where the check does not hold: a text, such as the id that is to blame. */
  culprit?: SQL;
  otherwise: (culprit: string | null) => Error;
  /**
   * What refuses the batch: a guard before the write, unless a constraint of the schema does, or a guard behind the write,
   * of what it leads to. That one comes last, and is to blame where all others hold.
   */
  heldBy?: 'constraint' | 'outcome';
}

const brokenRow = selection({ broken: maybe(given(parsed<[index: number, culprit: string | null]>())) });

/** The answer to the first check that does not hold. */
export async function firstBroken(db: Database, checks: Check[]): Promise<Error | undefined> {
  if (checks.length === 0) return undefined;
  const cases = checks.map(
    ({ holds, culprit = sql`NULL`, heldBy }, index) =>
      sql`WHEN ${heldBy === 'outcome' ? sql`1` : sql`NOT (${holds})`} THEN json_array(${sql.raw(String(index))}, ${culprit})`,
  );
  const row = await readRow(db, brokenRow.query(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`));
  if (row?.broken == null) return undefined;
  const [index, culprit] = row.broken;
  return checks[index]?.otherwise(culprit);
}

type Write<Value> = (guards: Statement[], outcome: Statement[]) => Promise<Value>;

/** Writes in one batch that the checks hold for; a batch that one of them refused is told from one that lost a race. */
export const commitChecked = <Value>(db: Database, checks: Check[], write: Write<Value>): Promise<Value> =>
  retryOnConflict(() => commitCheckedOnce(db, checks, write));

/** `commitChecked` within a `retryOnConflict` of the reads that the checks come from: a lost race is thrown on. */
export async function commitCheckedOnce<Value>(db: Database, checks: Check[], write: Write<Value>): Promise<Value> {
  const guardsOf = (by: Check['heldBy']) =>
    checks.filter(({ heldBy }) => heldBy === by).map(({ holds }) => must(db, holds));
  try {
    return await write(guardsOf(undefined), guardsOf('outcome'));
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    throw (await firstBroken(db, checks)) ?? error;
  }
}

const heldRow = selection({ held: given(Boolean) });

/** Whether a condition holds now. */
export const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await readRow(db, heldRow.query(sql`SELECT COALESCE(${condition}, 0) AS held`)))?.held ?? false;
