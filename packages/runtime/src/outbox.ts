import type { Connection, Database, RecordOf } from '@octavo/db';
import { connect, fromQuery, outbox, readRows, selection } from '@octavo/db';
import type {
  ConsumedEventType,
  EventData,
  EventMessage,
  OrganizationId,
  SpaceId,
  WaitingMessage,
} from '@octavo/schema';
import { eventQueues, eventSchema, isConsumed, messageQueues } from '@octavo/schema';
import { getTableColumns, sql } from 'drizzle-orm';
import type { Background, Environment, EventQueues } from './environment.ts';
import { describeError, log } from './respond.ts';

const maxMessagesPerBatch = 100;
const resendAfterMilliseconds = 15_000;
/** An event that was taken so often in vain is a dead letter. */
export const maxAttempts = 10;
const maxPerSweep = 500;
const maxSweepsAtStart = 20;
/** A week, for operators to see what happened lately. */
const settledRetentionMilliseconds = 7 * 24 * 60 * 60_000;

type OutgoingMessage = WaitingMessage & { delaySeconds?: number };

/** Sends events to their queue after the answer. One that is lost on the way is sent again by the sweep. */
export function sendEvents(env: EventQueues, background: Background, messages: OutgoingMessage[]): void {
  if (messages.length === 0) return;
  background.waitUntil(
    send(env, messages).catch((error: unknown) =>
      log('error', 'could not queue events, the cron will retry', { cause: describeError(error) }),
    ),
  );
}

async function send(env: EventQueues, messages: OutgoingMessage[]): Promise<void> {
  for (const queue of new Set(messages.map(({ type }) => messageQueues[type]))) {
    const bodies = messages
      .filter(({ type }) => messageQueues[type] === queue)
      .map(({ id, type, delaySeconds = 0 }) => ({
        body: { id, type },
        delaySeconds,
      }));
    for (let start = 0; start < bodies.length; start += maxMessagesPerBatch) {
      await env[queue]?.sendBatch(bodies.slice(start, start + maxMessagesPerBatch));
    }
  }
}

/**
 * Sends again what no consumer has settled: after a crash, a lost queue, a failed job. The older an event, the longer
 * until it is sent once more. One that was taken ten times in vain stays as a dead letter, for an operator to see.
 */
export async function sweepOutbox(env: Environment): Promise<void> {
  const now = Date.now();
  await resend(env, sql`${now} - MAX(${resendAfterMilliseconds}, (${now} - created_at) / 4)`);
}

/** Sends again at once what was sent before the runtime started: no queue of the one before it has it any more. */
export async function resendSentBefore(env: Environment, started: number): Promise<void> {
  for (let sweep = 0; sweep < maxSweepsAtStart; sweep += 1) {
    if ((await resend(env, sql`${started}`)) < maxPerSweep) return;
  }
}

const sentRow = selection({ id: outbox.id, type: outbox.type });

async function resend(env: Environment, sentBefore: ReturnType<typeof sql>): Promise<number> {
  const { db } = connect(env.DB, { intent: 'write' });
  const types = Object.entries(eventQueues).flatMap(([type, queue]) => (env[queue] === undefined ? [] : [type]));
  const update = sentRow.query(sql`
    UPDATE outbox SET sent_at = ${Date.now()} WHERE id IN (
      SELECT id FROM outbox WHERE done_at IS NULL AND attempts < ${sql.raw(String(maxAttempts))}
        AND type IN (SELECT value FROM json_each(${JSON.stringify(types)})) AND sent_at < ${sentBefore}
      ORDER BY created_at LIMIT ${maxPerSweep})
    RETURNING ${sentRow}`);
  const waiting = (await readRows(db, update)).flatMap(({ id, type }) => (isConsumed(type) ? [{ id, type }] : []));
  await send(env, waiting);
  return waiting.length;
}

/** An event or a job that was taken from the outbox. */
export type OutboxEvent<Type extends ConsumedEventType = ConsumedEventType> = Omit<OutboxRow, 'type' | 'data'> & {
  type: Type;
  data: EventData<Type>;
};

const outboxRow = selection(getTableColumns(outbox));
type OutboxRow = RecordOf<typeof outboxRow>;

/** What a worker does on each type of event that it consumes, with what it needs for it. */
export type EventHandlers<Context> = {
  readonly [Type in ConsumedEventType]?: (taken: OutboxEvent<Type>, context: Context) => Promise<void>;
};

/** Another run of the same message came first, and has settled it. */
export class AlreadySettled extends Error {
  override name = 'AlreadySettled';
}

/**
 * Takes an event and handles it; one that is settled already is not handled again. Why it failed stays on its row, for
 * an operator to see. A message is parsed here, unlike other rows: the release before this one may have written it.
 */
export async function handleEvent<Context>(
  env: Pick<Environment, 'DB'>,
  { id, type }: EventMessage,
  { handlers, contextOf }: { handlers: EventHandlers<Context>; contextOf: (db: Database) => Context },
): Promise<void> {
  const connection = connect(env.DB, { intent: 'write' });
  const [event] = await takeEvents(env.DB, connection, [id]);
  if (event === undefined) return;
  await runAndRecord(connection, [event], async () => {
    const handle = handlers[type] as ((event: OutboxEvent, context: Context) => Promise<void>) | undefined;
    if (handle === undefined) throw new Error(`This worker has no handler for ${type}.`);
    await handle(parseEvent(type, event), contextOf(connection.db));
  });
}

/** How events of a type are handled whose work is much the same for many of a space. */
interface EventGroupHandler<Type extends ConsumedEventType, Context> {
  type: Type;
  handle: (taken: OutboxEvent<Type>[], context: Context) => Promise<void>;
  contextOf: (db: Database) => Context;
}

/**
 * As `handleEvent` for all messages of a batch, of which those of a space are handled as one. An event that was taken
 * before is taken and handled alone, after these: one that fails, or ends the runtime, takes others along once at most, and
 * none of them counts an attempt for it again.
 */
export async function handleEventGroups<Type extends ConsumedEventType, Context>(
  env: Pick<Environment, 'DB'>,
  messages: EventMessage[],
  { type, handle, contextOf }: EventGroupHandler<Type, Context>,
): Promise<Map<EventMessage, unknown>> {
  const failures = new Map<EventMessage, unknown>();
  const work = async (group: OutboxRow[]) => {
    const connection = connect(env.DB, { intent: 'write' });
    const rows = () => group.map((row) => parseEvent(type, row));
    await runAndRecord(connection, group, async () => handle(rows(), contextOf(connection.db))).catch(
      (error: unknown) => {
        const failed = new Set(group.map(({ id }) => id));
        for (const message of messages.filter(({ id }) => failed.has(id))) failures.set(message, error);
      },
    );
  };
  const take = (ids: string[], more?: ReturnType<typeof sql>) =>
    takeEvents(env.DB, connect(env.DB, { intent: 'write' }), ids, more);
  const ids = [...new Set(messages.map(({ id }) => id))];
  if (ids.length === 0) return failures;
  const untried = await take(ids, sql`AND ${outbox.attempts} = 0`);
  for (const group of groupBySpace(type, untried)) await work(group);
  const takenIds = new Set(untried.map(({ id }) => id));
  for (const id of ids.filter((each) => !takenIds.has(each))) {
    const [row] = await take([id]);
    if (row !== undefined) await work([row]);
  }
  return failures;
}

/** Those of a space as one, and each that cannot be parsed by itself. */
function groupBySpace(type: ConsumedEventType, rows: OutboxRow[]): OutboxRow[][] {
  const isValid = ({ data }: OutboxRow) => eventSchema(type).safeParse(data).success;
  const invalidRows = rows.filter((row) => !isValid(row)).map((row) => [row]);
  return [...Map.groupBy(rows.filter(isValid), ({ space }) => space).values(), ...invalidRows];
}

const parseEvent = <Type extends ConsumedEventType>(type: Type, row: OutboxRow): OutboxEvent<Type> => ({
  ...row,
  type,
  data: eventSchema(type).parse(row.data) as EventData<Type>,
});

/**
 * Works on events that were taken, and keeps on those that are left unsettled why.
 * @throws what the work threw, unless all are settled
 */
async function runAndRecord({ db, cost }: Connection, rows: OutboxRow[], work: () => Promise<void>): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const logFields = { event: ids[0], type: rows[0]?.type, ...(ids.length > 1 ? { events: ids.length } : {}) };
  try {
    await work();
    const { trips, rowsRead, rowsWritten } = cost;
    log('info', 'event handled', { ...logFields, trips, rowsRead, rowsWritten });
  } catch (error) {
    if (error instanceof AlreadySettled) return log('info', 'event was already settled', logFields);
    const fail = db
      .update(outbox)
      .set({ error: describeError(error) })
      .where(sql`${hasId(ids)} AND ${outbox.doneAt} IS NULL`)
      .returning();
    const failed = await readRows(db, outboxRow.query(fail));
    if (failed.length > 0) throw error;
    // They are settled: what the work left for afterwards failed, or another run of the same messages came first.
    log('error', 'event settled, but follow-up work failed', { ...logFields, cause: describeError(error) });
  }
}

const hasId = (ids: string[]) => sql`${outbox.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/**
 * Events for their consumer, without those that are settled already. Taking one counts as an attempt, before any work:
 * a consumer that is killed, for its time or its memory, counts no failure afterwards.
 */
async function takeEvents(
  binding: Environment['DB'],
  { db }: Connection,
  ids: string[],
  more: ReturnType<typeof sql> = sql``,
): Promise<OutboxRow[]> {
  const take = db
    .update(outbox)
    .set({ attempts: sql`attempts + 1` })
    .where(sql`${hasId(ids)} AND ${outbox.doneAt} IS NULL ${more}`)
    .returning();
  const rows = await readRows(db, outboxRow.query(take));
  await binding.sync?.();
  return rows;
}

/** The statement that settles an event; it goes into the batch of the work itself where there is one. */
export const settleEvent = (db: Connection['db'], id: string) => settleEvents(db, [id]);

/** The same for several events. */
export const settleEvents = (db: Connection['db'], ids: string[]) =>
  db.update(outbox).set({ doneAt: Date.now() }).where(hasId(ids));

/** The condition of the index `outbox_settled`, word for word: jobs, and events that the audit log leaves out. */
const isTechnical = sql.raw(
  "done_at IS NOT NULL AND (instr(type, '.') = 0 OR type = 'content.changed' OR type = 'mail.requested')",
);

/** Forgets what was settled a while ago and is no part of the audit log. */
export const deleteSettledEvents = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'settled events',
    (limit) => sql`DELETE FROM outbox WHERE id IN (
      SELECT id FROM outbox WHERE ${isTechnical} AND done_at < ${Date.now() - settledRetentionMilliseconds}
      ORDER BY done_at LIMIT ${limit}) RETURNING 1`,
  );

/** An event or a job that is not settled. Ages are in milliseconds. */
export interface WaitingJob {
  id: string;
  type: string;
  organization: OrganizationId | null;
  space: SpaceId | null;
  age: number;
  attempts: number;
  /** Ten attempts failed: it is not sent any more. */
  dead: boolean;
  /** Why the last attempt failed. */
  error: string | null;
}

const jobRow = selection({
  id: outbox.id,
  type: outbox.type,
  organization: outbox.organization,
  space: outbox.space,
  age: fromQuery(Number),
  attempts: outbox.attempts,
  dead: fromQuery(Boolean),
  error: outbox.error,
});

const maxListed = 500;
const isDead = sql`done_at IS NULL AND attempts >= ${sql.raw(String(maxAttempts))}`;
const isWaiting = sql`done_at IS NULL AND attempts < ${sql.raw(String(maxAttempts))}`;

/** The dead letters, then what waits, the oldest first; of each no more than an operator would read. */
export async function listWaitingJobs(db: Database): Promise<WaitingJob[]> {
  const selectJobs = (which: typeof isDead) =>
    sql`SELECT * FROM (SELECT * FROM outbox WHERE ${which} ORDER BY created_at LIMIT ${maxListed})`;
  const columns = jobRow.with({ age: sql`${Date.now()} - created_at`, dead: isDead });
  const jobs = jobRow.query(sql`
    SELECT ${columns}
    FROM (${selectJobs(isDead)} UNION ALL ${selectJobs(isWaiting)}) outbox ORDER BY dead DESC, created_at, id`);
  return readRows(db, jobs);
}

const replayedRow = selection({ id: outbox.id });

/** Lets the next sweep send an event again as if it had never been tried, or all dead letters. Gives how many. */
export async function replayJobs(db: Database, which: { id: string } | { all: true }): Promise<number> {
  const chosen = 'id' in which ? sql`id = ${which.id} AND done_at IS NULL` : isDead;
  const replayed = replayedRow.query(
    sql`UPDATE outbox SET attempts = 0, sent_at = 0 WHERE ${chosen} RETURNING ${replayedRow}`,
  );
  return (await readRows(db, replayed)).length;
}

type Sql = ReturnType<typeof sql>;

const maxRowsPerBatch = 1000;
/** A worker's run may send D1 a thousand statements, and may have more than one table to clean. */
const maxBatches = 200;

const deletedRow = selection({});

/**
 * Deletes what is over, in statements of a bounded number of rows, so that requests come between them; what one run does
 * not get to is left for the next. `part` is a statement that deletes `limit` rows at most, found by an index, and returns
 * a row for each.
 */
export async function deleteInBatches(
  env: Pick<Environment, 'DB'>,
  what: string,
  part: (limit: Sql) => Sql,
): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const limit = sql.raw(String(maxRowsPerBatch));
  let rows = 0;
  for (let parts = 0; parts < maxBatches; parts += 1) {
    const deleted = await readRows(db, deletedRow.query(part(limit)));
    rows += deleted.length;
    if (deleted.length < maxRowsPerBatch) break;
  }
  log('info', 'deleted expired rows', { what, rows, ...cost });
}
