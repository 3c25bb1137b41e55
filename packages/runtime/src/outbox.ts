import type { Connection, Database, RecordOf } from '@octavo/db';
import { connect, hasQueries, outbox, readRows, selection } from '@octavo/db';
import type {
  ConsumedEventType,
  EventData,
  EventMessage,
  LiveNotice,
  OrganizationId,
  WaitingMessage,
} from '@octavo/schema';
import { eventQueues, getEventSchema, isConsumed, messageQueues } from '@octavo/schema';
import { getTableColumns, sql } from 'drizzle-orm';
import type { Background, Environment, EventQueues } from './environment.ts';
import { describeError, log } from './respond.ts';

const maxMessagesPerBatch = 100;
const resendAfterMilliseconds = 15_000;
/**
 * An event with this many failed attempts is a dead letter. A sweep sends at most `maxPerSweep` events, and at most
 * `maxSweepsAtStart` sweeps run when the server starts.
 */
export const maxAttempts = 10;
/** An event with this many interrupted runs is a dead letter too, because such a run may have ended the server. */
const maxInterruptions = 10;
const firstWaitMilliseconds = 60_000;
/**
 * Maximum wait before an interrupted event runs again. The wait is long enough that an event which crashes the server
 * does not make the server's supervisor give up.
 */
const maxWaitMilliseconds = 10 * 60_000;
const maxPerSweep = 500;
const maxSweepsAtStart = 20;
/** Retention of settled events: a week, so that operators can see recent events. */
const settledRetentionMilliseconds = 7 * 24 * 60 * 60_000;

type OutgoingMessage = WaitingMessage & { delaySeconds?: number };

/**
 * Sends events to their queues and to live connections after the response. The sweep resends lost events to their
 * queues.
 */
export function sendEvents(env: EventQueues, background: Background, messages: (OutgoingMessage | LiveNotice)[]): void {
  const queued: OutgoingMessage[] = [];
  for (const message of messages)
    if (message.type !== 'live') queued.push(message);
    else background.waitUntil(announceLive(env, message));
  if (queued.length === 0) return;
  background.waitUntil(
    sendMessages(env, queued).catch((error: unknown) =>
      log('error', 'could not queue events, the cron will retry', { cause: describeError(error) }),
    ),
  );
}

interface Announcer {
  announce(notice: LiveNotice): Promise<unknown> | unknown;
}

/** The bindings through which a worker reaches the objects of spaces: its own objects, or the content worker. */
interface LiveBindings {
  SPACE_HEAD?: { idFromName(name: string): unknown; get(id: unknown): Announcer };
  CONTENT?: Announcer;
}

/**
 * Sends changes in a space to its live connections. If that fails, clients see the changes when they next read the
 * space, so the failure is only logged.
 */
async function announceLive(env: object, notice: LiveNotice): Promise<void> {
  const { SPACE_HEAD: heads, CONTENT: content } = env as LiveBindings;
  try {
    await (heads === undefined ? content : heads.get(heads.idFromName(notice.id)))?.announce(notice);
  } catch (error) {
    log('warn', 'live events not sent', { cause: describeError(error) });
  }
}

export async function sendMessages(env: EventQueues, messages: OutgoingMessage[]): Promise<void> {
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
 * Resends events that no consumer has settled, for example after a crash, a lost queue or a failed job. The interval
 * grows with the age of the event. After ten failed attempts, or ten interrupted runs, an event remains as a dead
 * letter for an operator.
 */
export async function sweepOutbox(env: Environment): Promise<void> {
  const now = Date.now();
  await resend(env, sql`${now} - MAX(${resendAfterMilliseconds}, (${now} - created_at) / 4)`);
}

/**
 * Immediately resends events that were sent before the runtime started, because the queues of the previous runtime are
 * lost.
 */
export async function resendEventsBefore(env: Environment, started: number): Promise<void> {
  for (let sweep = 0; sweep < maxSweepsAtStart; sweep += 1) {
    if ((await resend(env, sql`${started}`)) < maxPerSweep) return;
  }
}

const sentRow = selection({ id: outbox.id, type: outbox.type, attempts: outbox.attempts });

/** Whether too many runs of an event were interrupted. The reason for each interruption is not known. */
const isInterruptedTooOften = sql.raw(`interruptions >= ${maxInterruptions}`);
const interruptionReason = `The server stopped, or the run exceeded its time or memory, in each of ${maxInterruptions} runs.`;

/**
 * Whether an event may run again. After the second interruption an event waits a minute, and after each further
 * interruption twice as long, so that an event which crashes the server does not crash it at every start.
 */
const isRetryDue = (now: number) =>
  sql`(interruptions < 2 OR sent_at < ${now} - MIN(${maxWaitMilliseconds}, ${firstWaitMilliseconds} << (interruptions - 2)))`;

async function resend(env: Environment, sentSince: ReturnType<typeof sql>): Promise<number> {
  const { db } = connect(env.DB, { intent: 'write' });
  const types = Object.entries(eventQueues).flatMap(([type, queue]) => (env[queue] === undefined ? [] : [type]));
  const now = Date.now();
  const limit = sql.raw(String(maxAttempts));
  const update = sentRow.query(sql`
    UPDATE outbox SET sent_at = CASE WHEN ${isInterruptedTooOften} THEN sent_at ELSE ${now} END,
      attempts = CASE WHEN ${isInterruptedTooOften} THEN ${limit} ELSE attempts END,
      error = CASE WHEN ${isInterruptedTooOften} THEN ${interruptionReason} ELSE error END
    WHERE id IN (
      SELECT id FROM outbox WHERE done_at IS NULL AND attempts < ${limit}
        AND type IN (SELECT value FROM json_each(${JSON.stringify(types)}))
        AND sent_at < ${sentSince} AND ${isRetryDue(now)}
      ORDER BY created_at LIMIT ${maxPerSweep})
    RETURNING ${sentRow}`);
  const rows = await readRows(db, update);
  await sendMessages(
    env,
    rows.flatMap(({ id, type, attempts }) => (isConsumed(type) && attempts < maxAttempts ? [{ id, type }] : [])),
  );
  return rows.length;
}

/** An event or a job that was taken from the outbox. */
export type OutboxEvent<Type extends ConsumedEventType = ConsumedEventType> = Omit<OutboxRow, 'type' | 'data'> & {
  type: Type;
  data: EventData<Type>;
};

/** Whether the event becomes a dead letter if this run fails. */
export const isLastAttempt = ({ attempts }: Pick<OutboxEvent, 'attempts'>): boolean => attempts + 1 >= maxAttempts;

/** Returns the number of a run: 1 unless former runs failed or were interrupted. */
export const getRunNumber = ({ attempts, interruptions }: Pick<OutboxEvent, 'attempts' | 'interruptions'>): number =>
  attempts + interruptions;

const outboxRow = selection(getTableColumns(outbox));
export type OutboxRow = RecordOf<typeof outboxRow>;

/** A handler for each type of event that a worker consumes, with the context that it needs. */
export type EventHandlers<Context> = {
  readonly [Type in ConsumedEventType]?: (event: OutboxEvent<Type>, context: Context) => Promise<void>;
};

/** The error when another run of the same message has already settled the event. */
export class AlreadySettledError extends Error {
  override name = 'AlreadySettled';
}

/**
 * Takes an event and handles it, unless it is already settled. The reason of a failure is stored in its row for
 * operators. Data is parsed here, unlike in other rows, because the previous release may have written it.
 */
export async function handleEvent<Context>(
  env: Pick<Environment, 'DB'>,
  { id }: EventMessage,
  handling: EventHandling<Context>,
): Promise<void> {
  const connection = connect(env.DB, { intent: 'write' });
  const [event] = await leaseEvents(env.DB, connection, [id]);
  if (event !== undefined) await runHandler(connection, event, handling);
}

interface EventHandling<Context> {
  handlers: EventHandlers<Context>;
  createContext: (db: Database) => Context;
}

const runHandler = <Context>(
  connection: Connection,
  event: OutboxRow,
  { handlers, createContext }: EventHandling<Context>,
): Promise<void> =>
  runAndRecord(connection, [event], async () => {
    const type = event.type as ConsumedEventType;
    const handle = handlers[type] as ((event: OutboxEvent, context: Context) => Promise<void>) | undefined;
    if (handle === undefined) throw new Error(`This worker has no handler for ${type}.`);
    await handle(parseEvent(type, event), createContext(connection.db));
  });

/**
 * Jobs that have not begun, of the types for which organizations take turns. Must match the index `outbox_turns` word
 * for word.
 */
const isNew = sql.raw(
  "done_at IS NULL AND attempts = 0 AND interruptions = 0 AND type IN ('render_pdf', 'process_openapi')",
);
/** The organization of the last new job, by type. */
const lastTurns = new Map<string, OrganizationId>();

/**
 * Handles one job for a message: the message's own job if it is tried again, otherwise the oldest new job of the
 * organization whose turn is next. There is a message for each new job, so all of them are handled, and an organization
 * with many jobs does not hold up the others.
 */
export async function handleNextEvent<Context>(
  env: Pick<Environment, 'DB'>,
  { id, type }: EventMessage,
  handling: EventHandling<Context>,
): Promise<void> {
  const connection = connect(env.DB, { intent: 'write' });
  const selectNewEvents = (more: ReturnType<typeof sql>) => sql`(
    SELECT id FROM outbox INDEXED BY outbox_turns WHERE ${isNew} AND type = ${type} ${more}
    ORDER BY organization, created_at LIMIT 1)`;
  const next = sql`id = COALESCE(
    (SELECT id FROM outbox WHERE id = ${isRunning(id) ? '' : id} AND done_at IS NULL AND attempts + interruptions > 0),
    ${selectNewEvents(sql`AND organization > ${lastTurns.get(type) ?? ''}`)},
    ${selectNewEvents(sql``)})`;
  const [event] = await claim(env.DB, connection, next);
  if (event === undefined) return;
  running.set(event.id, Date.now());
  if (event.organization !== null) lastTurns.set(type, event.organization);
  await runHandler(connection, event, handling);
}

export const parseEvent = <Type extends ConsumedEventType>(type: Type, row: OutboxRow): OutboxEvent<Type> => ({
  ...row,
  type,
  data: getEventSchema(type).parse(row.data) as EventData<Type>,
});

/**
 * Runs the work for events that were taken from the outbox. If the work fails, the reason is stored in the rows that
 * remain unsettled.
 * @throws the error of the work, unless all events are settled
 */
export async function runAndRecord(
  { db, cost }: Connection,
  rows: OutboxRow[],
  work: () => Promise<void>,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const logFields = { event: ids[0], type: rows[0]?.type, ...(ids.length > 1 ? { events: ids.length } : {}) };
  try {
    await work();
    const { trips, rowsRead, rowsWritten } = cost;
    log('info', 'event handled', { ...logFields, trips, rowsRead, rowsWritten });
  } catch (error) {
    if (error instanceof AlreadySettledError) return log('info', 'event was already settled', logFields);
    const fail = db
      .update(outbox)
      .set({ attempts: sql`attempts + 1`, interruptions: sql`MAX(interruptions - 1, 0)`, error: describeError(error) })
      .where(sql`${hasId(ids)} AND ${outbox.doneAt} IS NULL`)
      .returning();
    const failed = await readRows(db, outboxRow.query(fail));
    if (failed.length > 0) throw error;
    // The events are settled: work after the commit failed, or another run of the same messages was faster.
    log('error', 'event settled, but follow-up work failed', { ...logFields, cause: describeError(error) });
  } finally {
    for (const id of ids) running.delete(id);
  }
}

/** Puts back events that were taken and not begun, so that their runs do not count as interrupted. */
export async function returnEvents({ db }: Connection, rows: OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  for (const id of ids) running.delete(id);
  await db.update(outbox).set({ interruptions: sql`MAX(interruptions - 1, 0)` }).where(hasId(ids));
}

/** The events that run in this isolate, with the time at which they began. */
const running = new Map<string, number>();
/**
 * Entries of `running` that are older than this are ignored. No run takes that long, so such an entry belongs to a run
 * that was ended from outside and could not remove its entry.
 */
const maxRunMilliseconds = 20 * 60_000;

const isRunning = (id: string): boolean => (running.get(id) ?? 0) > Date.now() - maxRunMilliseconds;

const hasId = (ids: string[]) => sql`${outbox.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/**
 * Returns unsettled events for their consumer, without those that run in this isolate. Counts a run as interrupted
 * until it ends, because a consumer that is killed cannot count anything. A run that fails counts as an attempt
 * instead.
 */
export async function leaseEvents(
  binding: Environment['DB'],
  connection: Connection,
  ids: string[],
  condition: ReturnType<typeof sql> = sql``,
): Promise<OutboxRow[]> {
  const free = ids.filter((id) => !isRunning(id));
  for (const id of free) running.set(id, Date.now());
  const rows = await claim(binding, connection, sql`${hasId(free)} AND ${outbox.doneAt} IS NULL ${condition}`).catch(
    (error: unknown) => {
      for (const id of free) running.delete(id);
      throw error;
    },
  );
  const rowIds = new Set(rows.map(({ id }) => id));
  for (const id of free) if (!rowIds.has(id)) running.delete(id);
  return rows;
}

async function claim(
  binding: Environment['DB'],
  { db }: Connection,
  where: ReturnType<typeof sql>,
): Promise<OutboxRow[]> {
  const update = db.update(outbox).set({ interruptions: sql`interruptions + 1` }).where(where).returning();
  const rows = await readRows(db, outboxRow.query(update));
  await binding.sync?.();
  return rows;
}

/** A statement that settles an event, for the batch of the work. */
export const settleEvent = (db: Connection['db'], id: string) => settleEvents(db, [id]);

/** A statement that settles several events. */
export const settleEvents = (db: Connection['db'], ids: string[]) =>
  db.update(outbox).set({ doneAt: Date.now() }).where(hasId(ids));

/**
 * Jobs, and events that are not in the audit log. Must match the condition of the index `outbox_settled` word for word,
 * or SQLite does not use the index.
 */
const isTechnical = sql.raw(
  "done_at IS NOT NULL AND (instr(type, '.') = 0 OR type = 'content.changed' OR type = 'mail.requested')",
);

/** Deletes events that were settled more than a week ago and are not part of the audit log. */
export const deleteSettledEvents = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'settled events',
    (limit) => sql`DELETE FROM outbox WHERE id IN (
      SELECT id FROM outbox WHERE ${isTechnical} AND done_at < ${Date.now() - settledRetentionMilliseconds}
      ORDER BY done_at LIMIT ${limit}) RETURNING 1`,
  );

type Sql = ReturnType<typeof sql>;

const maxRowsPerBatch = 1000;
const maxBatches = 200;

const deletedRow = selection({});

/**
 * Deletes old rows in statements of a limited size, so that other requests run in between. The next run deletes the
 * rest. `part` is a statement that deletes at most `limit` rows, found by an index, and returns a row for each.
 */
export async function deleteInBatches(
  env: Pick<Environment, 'DB'>,
  description: string,
  part: (limit: Sql) => Sql,
): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const limit = sql.raw(String(maxRowsPerBatch));
  let rows = 0;
  for (let parts = 0; parts < maxBatches && hasQueries(env, 1); parts += 1) {
    const deleted = await readRows(db, deletedRow.query(part(limit)));
    rows += deleted.length;
    if (deleted.length < maxRowsPerBatch) break;
  }
  log('info', 'deleted expired rows', { what: description, rows, ...cost });
}
