import type { Caller, NewEvent, WaitingMessage } from '@octavo/schema';
import { ApiError, eventSchema, isConsumed, newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Database, RowsOf, Statement, Statements } from './connect.ts';
import { readRow, runBatch } from './connect.ts';
import { countShown } from './effects/sites.ts';
import { given, maybe, parsed, selection, toStored } from './selection.ts';
import type { CausedEvent } from './statements/caused-events.ts';
import { insertEvents, insertEventsOfRows, isOfRows, originOf } from './statements/caused-events.ts';

/** A write that lost a race: a unique index, a foreign key or a `must` aborted its batch, and nothing was written. */
class CommitConflict extends Error {
  override name = 'CommitConflict';

  /** Whether the check of the write's outcome aborted it. */
  get ofOutcome(): boolean {
    return messagesOf(this.cause).some((message) => message.includes(outcomeRefused));
  }
}

/** Makes the error for a lost race of a write without `commit`. Throw it to make `retryOnConflict` retry. */
export const lostRace = (what: string): Error => new CommitConflict(what);

/** The rows of the statements by name, and the events that wait for a consumer. */
interface Committed<Given> {
  rows: RowsOf<Given>;
  waiting: WaitingMessage[];
}

/**
 * Writes the statements and the events that they cause in one D1 batch. Events about rows are written before the
 * statements, which can delete these rows. The caller sends the waiting events to their queue; the sweep sends others.
 * @throws CommitConflict when a unique index, a foreign key or a `must` refuses the batch.
 */
export async function commit<Given extends Statements>(
  db: Database,
  caller: Caller,
  statements: Given,
  events: CausedEvent[],
): Promise<Committed<Given>> {
  const now = Date.now();
  const told = events.flatMap((event) => (isOfRows(event) ? [] : [storedEvent(caller, now, event)]));
  const batch = {
    shown: countShown(db, caller, events),
    before: events.filter(isOfRows).map((event) => insertEventsOfRows(caller, now, event)),
    statements,
    records: jsonChunks(told).map((json) => insertEvents(caller.actor, caller.requestId, caller.depth ?? 0, now, json)),
    key: markKey(db, caller),
  };
  const {
    before,
    statements: rows,
    records,
  } = await runBatch(db, batch).catch((error: unknown) => {
    throw isRace(error) ? new CommitConflict('A concurrent write was faster. Try again.', { cause: error }) : error;
  });
  const consumed = told.flatMap(({ id, type }) => (isConsumed(type) ? [{ id, type }] : []));
  const fed = new Set([...before, ...records].flatMap(({ fed }) => fed ?? []));
  return { rows, waiting: [...consumed, ...[...fed].map((id) => ({ id, type: 'feed' as const }))] };
}

const storedEvent = (caller: Caller, now: number, event: NewEvent) => ({
  ...event,
  id: newId('event'),
  data: toStored<unknown>(eventSchema(event.type), event.data),
  doneAt: isConsumed(event.type) ? null : now,
  origin: originOf(caller, event.type),
});

/** Marks the caller's idempotency key as committed. Aborts the batch if another request has taken over the claim. */
function markKey(db: Database, { actor, key, requestId }: Caller): Statement[] {
  if (key === undefined) return [];
  const ours = sql`actor = ${actor} AND key = ${key} AND request = ${requestId} AND state <> 'done'`;
  return [
    must(db, sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${ours})`),
    db.run(sql`UPDATE idempotency_keys SET state = 'committed' WHERE ${ours}`),
  ];
}

/**
 * Makes a statement that aborts its batch unless `condition` holds, because an earlier read can be stale by then.
 * Malformed JSON is the only error that SQLite raises from an expression outside a trigger.
 */
export const must = (db: Database, condition: ReturnType<typeof sql>): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json('the state has moved') END`);

/** A `must` for the outcome of a write. The invalid JSON path in SQLite's error distinguishes it from others. */
const mustLeave = (db: Database, condition: SQL): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json_extract('{}', 'outcome') END`);

const outcomeRefused = "'outcome'";

const raceErrors = new RegExp(`(?:UNIQUE|FOREIGN KEY) constraint failed|malformed JSON|${outcomeRefused}`);

const messagesOf = (error: unknown): string[] =>
  [error, error instanceof Error ? error.cause : undefined].map((each) => String(each));

const isRace = (error: unknown): boolean => messagesOf(error).some((message) => raceErrors.test(message));

const maxTries = 5;

/**
 * Runs a read and its commit, and runs both again if the commit lost a race.
 * @throws ApiError unavailable, after five lost races
 */
export async function retryOnConflict<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
    }
  }
  throw new ApiError('unavailable', 'Too many concurrent writes. Try again.');
}

/** Returns the result of the attempt, or undefined if its commit lost a race. */
export async function unlessBeaten<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    return undefined;
  }
}

/** A condition that must hold when a batch is written, and the error if it does not. */
export interface Check {
  holds: SQL;
  /** The argument for `otherwise` if the check fails, such as the id that causes the failure. */
  culprit?: SQL;
  otherwise: (culprit: string | null) => Error;
  /**
   * The mechanism that aborts the batch. By default a guard before the statements; `constraint`: a constraint of the
   * schema; `outcome`: a guard after the statements, for at most one check, without a culprit.
   */
  heldBy?: 'constraint' | 'outcome';
}

const brokenRow = selection({ broken: maybe(given(parsed<[index: number, culprit: string | null]>())) });

/** Returns the error of the first check that fails. */
export async function firstBroken(db: Database, checks: Check[]): Promise<Error | undefined> {
  if (checks.length === 0) return undefined;
  const cases = checks.map(
    ({ holds, culprit = sql`NULL` }, index) =>
      sql`WHEN NOT (${holds}) THEN json_array(${sql.raw(String(index))}, ${culprit})`,
  );
  const row = await readRow(db, brokenRow.query(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`));
  if (row?.broken == null) return undefined;
  const [index, culprit] = row.broken;
  return checks[index]?.otherwise(culprit);
}

type Write<Value> = (guards: Statement[], outcome: Statement[]) => Promise<Value>;

/** Writes a batch if the checks hold. Throws the error of the check that aborted it, or retries after a lost race. */
export const commitChecked = <Value>(db: Database, checks: Check[], write: Write<Value>): Promise<Value> =>
  retryOnConflict(() => commitCheckedOnce(db, checks, write));

/** Like `commitChecked` without retries, for use in a `retryOnConflict` that also repeats the reads. */
export async function commitCheckedOnce<Value>(db: Database, checks: Check[], write: Write<Value>): Promise<Value> {
  const outcome = checks.find(({ heldBy }) => heldBy === 'outcome');
  const before = checks.filter((check) => check !== outcome);
  const guards = before.filter(({ heldBy }) => heldBy === undefined).map(({ holds }) => must(db, holds));
  try {
    return await write(guards, outcome === undefined ? [] : [mustLeave(db, outcome.holds)]);
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    if (outcome !== undefined && error.ofOutcome) throw outcome.otherwise(null);
    throw (await firstBroken(db, before)) ?? error;
  }
}

const heldRow = selection({ held: given(Boolean) });

/** Returns whether a condition holds now. */
export const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await readRow(db, heldRow.query(sql`SELECT COALESCE(${condition}, 0) AS held`)))?.held ?? false;

/** D1 binds at most 2 MB; a character takes up to three bytes, or six if JSON escapes it. */
const maxChunkLength = 300_000;

/** Splits rows into JSON arrays that each fit into one bound parameter, if each row does. */
export function jsonChunks(rows: unknown[]): string[] {
  const chunks: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows.map((each) => JSON.stringify(each))) {
    if (length + row.length > maxChunkLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(row);
    length += row.length;
  }
  return chunks.map((each) => `[${each.join(',')}]`);
}
