import type { Caller, LiveNotice, NewEvent, WaitingMessage } from '@octavo/schema';
import { ApiError, createId, createLiveNotices, getEventSchema, isConsumed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Database } from './connect.ts';
import type { CausedEvent } from './effects/events.ts';
import { getOrigin, insertEvents, insertEventsOfRows, isEventsOfRows, notifyOfEvents } from './effects/events.ts';
import { increaseShownVersions } from './effects/sites.ts';
import type { RowsOf, Statement, Statements } from './query.ts';
import { readRow, runBatch } from './query.ts';
import { fromJson, fromQuery, nullable, selection, serializeStored } from './selection.ts';
import { splitIntoJson } from './split-into-json.ts';

/**
 * A write that lost a race: a unique index, a foreign key or an `abortUnless` statement aborted its batch, and nothing
 * was written.
 */
class CommitConflict extends Error {
  override name = 'CommitConflict';

  /** Whether the batch was aborted because the check after its statements failed. */
  get isOutcomeCheckFailure(): boolean {
    return getMessages(this.cause).some((message) => message.includes(outcomeMarker));
  }
}

/** Creates the error for a write that lost a race outside of `commit`. Throw it to make `retryOnConflict` retry. */
export const createConflict = (detail: string): Error => new CommitConflict(detail);

/** The rows of the statements by name, the events that wait for a consumer, and notices for live connections. */
interface CommitResult<Given> {
  rows: RowsOf<Given>;
  messages: (WaitingMessage | LiveNotice)[];
}

/**
 * Writes the statements, the events that they cause and the notifications of users in one D1 batch. Events about rows
 * are written before the statements, which can delete these rows. The caller sends the returned messages to their
 * queue. The sweep resends events that no consumer has settled.
 * @throws CommitConflict when a unique index, a foreign key or an `abortUnless` statement refuses the batch.
 */
export async function commit<Given extends Statements>(
  db: Database,
  caller: Caller,
  statements: Given,
  events: CausedEvent[],
): Promise<CommitResult<Given>> {
  const now = Date.now();
  const singleEvents = events.flatMap((event) => (isEventsOfRows(event) ? [] : [event]));
  const newEvents = singleEvents.map((event) => toStoredEvent(caller, now, event));
  const batch = {
    shown: increaseShownVersions(db, caller, events),
    before: events.filter(isEventsOfRows).map((event) => insertEventsOfRows(caller, now, event)),
    statements,
    notified: notifyOfEvents(caller, events),
    records: splitIntoJson(newEvents).map((json) =>
      insertEvents(caller.actor, caller.requestId, caller.depth ?? 0, now, json),
    ),
    key: markKeyCommitted(db, caller),
  };
  const {
    before,
    statements: rows,
    records,
  } = await runBatch(db, batch).catch((error: unknown) => {
    throw isRaceError(error)
      ? new CommitConflict('A concurrent write was faster. Try again.', { cause: error })
      : error;
  });
  const consumed = newEvents.flatMap(({ id, type }) => (isConsumed(type) ? [{ id, type }] : []));
  const organizations = new Set([...before, ...records].flatMap(({ fed }) => fed ?? []));
  const feeds = [...organizations].map((id) => ({ id, type: 'feed' as const }));
  return { rows, messages: [...consumed, ...feeds, ...createLiveNotices(singleEvents)] };
}

const toStoredEvent = (caller: Caller, now: number, event: NewEvent) => ({
  ...event,
  id: createId('event'),
  data: serializeStored<unknown>(getEventSchema(event.type), event.data),
  doneAt: isConsumed(event.type) ? null : now,
  origin: getOrigin(caller, event.type),
});

/** Marks the caller's idempotency key as committed. Aborts the batch if another request has taken over the claim. */
function markKeyCommitted(db: Database, { actor, key, requestId }: Caller): Statement[] {
  if (key === undefined) return [];
  const ours = sql`actor = ${actor} AND key = ${key} AND request = ${requestId} AND state <> 'done'`;
  return [
    abortUnless(db, sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${ours})`),
    db.run(sql`UPDATE idempotency_keys SET state = 'committed' WHERE ${ours}`),
  ];
}

/**
 * Makes a statement that aborts its batch unless `condition` holds, because an earlier read may be stale when the batch
 * is written. Malformed JSON is the only error that SQLite raises from an expression outside a trigger.
 */
export const abortUnless = (db: Database, condition: ReturnType<typeof sql>): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json('the state has moved') END`);

/**
 * An `abortUnless` statement for the outcome of a write. Its invalid JSON path appears in SQLite's error and
 * distinguishes it from other `abortUnless` statements.
 */
const abortUnlessOutcome = (db: Database, condition: SQL): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json_extract('{}', 'outcome') END`);

const outcomeMarker = "'outcome'";

const raceErrors = new RegExp(`(?:UNIQUE|FOREIGN KEY) constraint failed|malformed JSON|${outcomeMarker}`);

const getMessages = (error: unknown): string[] =>
  [error, error instanceof Error ? error.cause : undefined].map((each) => String(each));

const isRaceError = (error: unknown): boolean => getMessages(error).some((message) => raceErrors.test(message));

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
export async function ignoreConflict<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    return undefined;
  }
}

/** A condition that must hold when a batch is written, and the error if it does not. */
export interface Check {
  condition: SQL;
  /** The argument for `createError` if the check fails, such as the id that causes the failure. */
  failingValue?: SQL;
  createError: (failingValue: string | null) => Error;
  /**
   * The way in which the batch is aborted. By default, a guard before the statements aborts it. `constraint`: a
   * constraint of the schema aborts it. `outcome`: a guard after the statements aborts it; this is possible for at most
   * one check, which has no failing value.
   */
  enforcedBy?: 'constraint' | 'outcome';
}

const failedCheckRow = selection({ broken: nullable(fromQuery(fromJson<[index: number, culprit: string | null]>())) });

/** Returns the error of the first check that fails. */
export async function findFailedCheck(db: Database, checks: Check[]): Promise<Error | undefined> {
  if (checks.length === 0) return undefined;
  const cases = checks.map(
    ({ condition, failingValue = sql`NULL` }, index) =>
      sql`WHEN NOT (${condition}) THEN json_array(${sql.raw(String(index))}, ${failingValue})`,
  );
  const row = await readRow(db, failedCheckRow.query(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`));
  if (row?.broken == null) return undefined;
  const [index, failingDetail] = row.broken;
  return checks[index]?.createError(failingDetail);
}

type WriteBatch<Value> = (guards: Statement[], outcome: Statement[]) => Promise<Value>;

/** Writes a batch if the checks hold. Throws the error of the check that aborted it, or retries after a lost race. */
export const commitChecked = <Value>(db: Database, checks: Check[], write: WriteBatch<Value>): Promise<Value> =>
  retryOnConflict(() => commitCheckedOnce(db, checks, write));

/** Like `commitChecked` without retries, for use inside a `retryOnConflict` call that also repeats the reads. */
export async function commitCheckedOnce<Value>(
  db: Database,
  checks: Check[],
  write: WriteBatch<Value>,
): Promise<Value> {
  const outcome = checks.find(({ enforcedBy }) => enforcedBy === 'outcome');
  const before = checks.filter((check) => check !== outcome);
  const guards = before
    .filter(({ enforcedBy }) => enforcedBy === undefined)
    .map(({ condition }) => abortUnless(db, condition));
  try {
    return await write(guards, outcome === undefined ? [] : [abortUnlessOutcome(db, outcome.condition)]);
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    if (outcome !== undefined && error.isOutcomeCheckFailure) throw outcome.createError(null);
    throw (await findFailedCheck(db, before)) ?? error;
  }
}

const conditionRow = selection({ held: fromQuery(Boolean) });

/** Returns whether a condition holds now. */
export const checkCondition = async (db: Database, condition: SQL): Promise<boolean> =>
  (await readRow(db, conditionRow.query(sql`SELECT COALESCE(${condition}, 0) AS held`)))?.held ?? false;
