import type { Connection, Database } from '@octavo/db';
import { connect, outbox, readRows, selection } from '@octavo/db';
import type { ConsumedEventType, EventData, EventMessage } from '@octavo/schema';
import { eventQueues, eventSchema, isConsumed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { deleteInParts } from './delete-in-parts.ts';
import type { Background, Environment, EventQueues } from './environment.ts';
import { describe, log } from './errors.ts';

const maxMessagesPerBatch = 100;
const resendAfterMilliseconds = 15_000;
/** An event that was taken so often in vain is a dead letter. */
export const maxAttempts = 10;
const maxPerSweep = 500;
const maxSweepsAtStart = 20;
/** A week, for operators to see what happened lately. */
const settledKeptMilliseconds = 7 * 24 * 60 * 60_000;

type Sent = EventMessage & { delaySeconds?: number };

/** Sends events to their queue after the answer. One that is lost on the way is sent again by the sweep. */
export function sendEvents(env: EventQueues, background: Background, messages: Sent[]): void {
  if (messages.length === 0) return;
  background.waitUntil(
    send(env, messages).catch((error: unknown) =>
      log('error', 'events wait for the sweep', { cause: describe(error) }),
    ),
  );
}

async function send(env: EventQueues, messages: Sent[]): Promise<void> {
  for (const queue of new Set(Object.values(eventQueues))) {
    const bodies = messages
      .filter(({ type }) => eventQueues[type] === queue)
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
export async function resendFromBefore(env: Environment, started: number): Promise<void> {
  for (let sweep = 0; sweep < maxSweepsAtStart; sweep += 1) {
    if ((await resend(env, sql`${started}`)) < maxPerSweep) return;
  }
}

const sentRow = selection({ id: outbox.id, type: outbox.type });

async function resend(env: Environment, sentBefore: ReturnType<typeof sql>): Promise<number> {
  const { db } = connect(env.DB, { intent: 'write' });
  const types = Object.entries(eventQueues).flatMap(([type, queue]) => (env[queue] === undefined ? [] : [type]));
  const sent = sentRow.query(sql`
    UPDATE outbox SET sent_at = ${Date.now()} WHERE id IN (
      SELECT id FROM outbox WHERE done_at IS NULL AND attempts < ${sql.raw(String(maxAttempts))}
        AND type IN (SELECT value FROM json_each(${JSON.stringify(types)})) AND sent_at < ${sentBefore}
      ORDER BY created_at LIMIT ${maxPerSweep})
    RETURNING ${sentRow}`);
  const waiting = (await readRows(db, sent)).flatMap(({ id, type }) => (isConsumed(type) ? [{ id, type }] : []));
  await send(env, waiting);
  return waiting.length;
}

/** An event or a job that was taken from the outbox. */
export type Taken<Type extends ConsumedEventType = ConsumedEventType> = Omit<OutboxRow, 'type' | 'data'> & {
  type: Type;
  data: EventData<Type>;
};

type OutboxRow = typeof outbox.$inferSelect;

/** What a worker does on each type of event that it consumes, with what it needs for it. */
export type EventHandlers<Context> = {
  readonly [Type in ConsumedEventType]?: (taken: Taken<Type>, context: Context) => Promise<void>;
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
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const taken = await takeEvent(db, id);
  if (taken === undefined) return;
  try {
    const handle = handlers[type] as ((taken: Taken, context: Context) => Promise<void>) | undefined;
    if (handle === undefined) throw new Error(`This worker does no ${type}.`);
    await handle({ ...taken, type, data: eventSchema(type).parse(taken.data) }, contextOf(db));
    const { trips, rowsRead, rowsWritten } = cost;
    log('info', 'event handled', { event: id, type: taken.type, trips, rowsRead, rowsWritten });
  } catch (error) {
    if (error instanceof AlreadySettled) return log('info', 'event settled already', { event: id, type: taken.type });
    const [failed] = await db
      .update(outbox)
      .set({ error: describe(error) })
      .where(sql`${outbox.id} = ${id} AND ${outbox.doneAt} IS NULL`)
      .returning({ id: outbox.id });
    if (failed !== undefined) throw error;
    // It is settled: what the work left for afterwards failed, or another run of the same message came first.
    log('error', 'event settled, but failed', { event: id, type: taken.type, cause: describe(error) });
  }
}

/**
 * An event for its consumer, or undefined when it is settled already. Taking it counts as an attempt, before any work:
 * a consumer that is killed, for its time or its memory, counts no failure afterwards.
 */
async function takeEvent(db: Connection['db'], id: string): Promise<OutboxRow | undefined> {
  const rows = await db
    .update(outbox)
    .set({ attempts: sql`attempts + 1` })
    .where(sql`${outbox.id} = ${id} AND ${outbox.doneAt} IS NULL`)
    .returning();
  return rows[0];
}

/** The statement that settles an event; it goes into the batch of the work itself where there is one. */
export const settleEvent = (db: Connection['db'], id: string) =>
  db.update(outbox).set({ doneAt: Date.now() }).where(sql`${outbox.id} = ${id}`);

/** The condition of the index `outbox_settled`, word for word: jobs, and events that the audit log leaves out. */
const isTechnical = sql.raw(
  "done_at IS NOT NULL AND (instr(type, '.') = 0 OR type = 'content.changed' OR type = 'mail.requested')",
);

/** Forgets what was settled a while ago and is no part of the audit log. */
export const forgetSettledEvents = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInParts(
    env,
    'settled events',
    (limit) => sql`DELETE FROM outbox WHERE id IN (
      SELECT id FROM outbox WHERE ${isTechnical} AND done_at < ${Date.now() - settledKeptMilliseconds}
      ORDER BY done_at LIMIT ${limit}) RETURNING 1`,
  );
