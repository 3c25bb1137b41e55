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

/** A write that lost a race: a unique index, a foreign key or a `must` refused its batch, and nothing was written. */
class CommitConflict extends Error {
  override name = 'CommitConflict';

  /** Whether what the write leads to is what refused it. */
  get ofOutcome(): boolean {
    return messagesOf(this.cause).some((message) => message.includes(outcomeRefused));
  }
}

/** For a write past `commit` that came too late: thrown, it makes `retryOnConflict` try again. */
export const lostRace = (what: string): Error => new CommitConflict(what);

/** What the statements gave, by their names, and what waits for a consumer. */
interface Committed<Given> {
  rows: RowsOf<Given>;
  waiting: WaitingMessage[];
}

/**
 * Writes everything in one D1 batch, all or nothing: the statements, then the events that they cause; those that follow
 * from rows come first, while these are there.
 * The waiting events are to be sent to their queue; the sweep sends those that are not.
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
    throw isRace(error) ? new CommitConflict('A concurrent write came first.', { cause: error }) : error;
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

/** Marks the caller's key as carried out; aborts the batch where another request has taken the claim over. */
function markKey(db: Database, { actor, key, requestId }: Caller): Statement[] {
  if (key === undefined) return [];
  const ours = sql`actor = ${actor} AND key = ${key} AND request = ${requestId} AND state <> 'done'`;
  return [
    must(db, sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${ours})`),
    db.run(sql`UPDATE idempotency_keys SET state = 'committed' WHERE ${ours}`),
  ];
}

/**
 * A statement that aborts its batch unless `condition` holds: a guard at write time, where an earlier read may be stale.
 * (Malformed JSON is the one error that SQLite raises from an expression outside a trigger.)
 */
export const must = (db: Database, condition: ReturnType<typeof sql>): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json('the state has moved') END`);

/** `must` of what a write leads to, told from every other: no JSON path is called so, and SQLite's error names it. */
const mustLeave = (db: Database, condition: SQL): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json_extract('{}', 'outcome') END`);

const outcomeRefused = "'outcome'";

const raceErrors = new RegExp(`(?:UNIQUE|FOREIGN KEY) constraint failed|malformed JSON|${outcomeRefused}`);

const messagesOf = (error: unknown): string[] =>
  [error, error instanceof Error ? error.cause : undefined].map((each) => String(each));

const isRace = (error: unknown): boolean => messagesOf(error).some((message) => raceErrors.test(message));

const maxTries = 5;

/**
 * Runs a read-then-commit again, from the read on, when its commit lost a race.
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
  throw new ApiError('unavailable', 'Too many writers at once: try again.');
}

/** Gives what the attempt does, or undefined where its commit lost a race. */
export async function unlessBeaten<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    return undefined;
  }
}

/** What must hold while something is written, and the answer where it does not. */
export interface Check {
  holds: SQL;
  /** What `otherwise` is told where the check does not hold: a text, such as the id that is to blame. */
  culprit?: SQL;
  otherwise: (culprit: string | null) => Error;
  /**
   * What refuses the batch: a guard before the write, unless a constraint of the schema does, or a guard behind the write,
   * of what it leads to, without a culprit: one at most.
   */
  heldBy?: 'constraint' | 'outcome';
}

const brokenRow = selection({ broken: maybe(given(parsed<[index: number, culprit: string | null]>())) });

/** The answer to the first check that does not hold. */
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

/** Writes in one batch that the checks hold for; a batch that one of them refused is told from one that lost a race. */
export const commitChecked = <Value>(db: Database, checks: Check[], write: Write<Value>): Promise<Value> =>
  retryOnConflict(() => commitCheckedOnce(db, checks, write));

/** `commitChecked` within a `retryOnConflict` of the reads that the checks come from: a lost race is thrown on. */
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

/** Whether a condition holds now. */
export const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await readRow(db, heldRow.query(sql`SELECT COALESCE(${condition}, 0) AS held`)))?.held ?? false;

/** A bound parameter holds at most 2 MB on D1; a character takes up to three bytes, and six where JSON escapes it. */
const maxChunkLength = 300_000;

/** Cuts rows into JSON arrays that each fit one bound parameter, as long as each row does. */
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
