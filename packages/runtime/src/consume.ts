import type { CausedEvent, Database, Row, Statement } from '@octavo/db';
import { commit, commitCheckedOnce } from '@octavo/db';
import { isPauseError } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type * as z from 'zod';
import type { Background, EventQueues } from './environment.ts';
import type { OutboxEvent } from './outbox.ts';
import { AlreadySettledError, sendEvents, settleEvent, settleEvents } from './outbox.ts';
import { describeError, log } from './respond.ts';

interface StepContext {
  db: Database;
  env: EventQueues;
  background: Background;
}

interface StepResult {
  statements: Statement[];
  events?: CausedEvent[];
  /** Minimum delay of the queued follow-up messages. */
  delaySeconds?: number;
}

/**
 * Writes the result of a job's step, settles the job's event and queues follow-up messages, in one batch. Returns the
 * rows of the statements.
 * @throws AlreadySettled if another run of the same message has settled the event, so that follow-up messages are
 * queued only once
 */
export async function commitStep(
  { db, env, background }: StepContext,
  job: OutboxEvent,
  { statements, events = [], delaySeconds = 0 }: StepResult,
): Promise<Row[]> {
  const caller = { actor: job.actor, requestId: job.requestId, depth: job.depth };
  const isOpen = {
    condition: sql`EXISTS (SELECT 1 FROM outbox WHERE id = ${job.id} AND done_at IS NULL)`,
    createError: () => new AlreadySettledError(),
  };
  const { rows, messages } = await commitCheckedOnce(db, [isOpen], (guards) =>
    commit(db, caller, { guards, statements, settled: settleEvent(db, job.id) }, events),
  );
  sendEvents(
    env,
    background,
    messages.map((message) =>
      message.type === 'feed' || message.type === 'live' ? message : { ...message, delaySeconds },
    ),
  );
  return rows.statements;
}

/** Writes the common result of several events and settles them, in one batch. The work must be idempotent. */
export async function commitEvents(
  { db, env, background }: StepContext,
  takenEvents: OutboxEvent[],
  { statements, events = [] }: Omit<StepResult, 'delaySeconds'>,
): Promise<void> {
  const [first] = takenEvents;
  if (first === undefined) return;
  const depth = Math.max(...takenEvents.map((event) => event.depth));
  const caller = { actor: first.actor, requestId: first.requestId, depth };
  const ids = takenEvents.map(({ id }) => id);
  const { messages } = await commit(db, caller, { statements, settled: settleEvents(db, ids) }, events);
  sendEvents(env, background, messages);
}

interface Message {
  id: string;
  attempts: number;
  body: unknown;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

/** The messages that failed, with the reason. */
export type MessageFailures<Body> = ReadonlyMap<Body, unknown>;

const maxDelaySeconds = 300;

/**
 * Parses the messages of a batch and settles each separately: it is acknowledged, or retried with back-off if it
 * failed. While writes are paused, it is acknowledged too: its work waits in the database, and a cron sends it later.
 */
export async function consume<Schema extends z.ZodType>(
  batch: { queue: string; messages: readonly Message[] },
  schema: Schema,
  handle: (messages: z.infer<Schema>[]) => Promise<MessageFailures<z.infer<Schema>>>,
): Promise<void> {
  const parsed = batch.messages.map((message) => ({ message, ...schema.safeParse(message.body) }));
  const bodies = parsed.flatMap(({ success, data }) => (success ? [data] : []));
  const failures = await handle(bodies).catch((error: unknown) => new Map(bodies.map((body) => [body, error])));
  for (const { message, success, data, error } of parsed) {
    const cause = success ? failures.get(data) : error;
    if ((success && !failures.has(data)) || isPauseError(cause)) message.ack();
    else retry(batch.queue, message, cause);
  }
}

function retry(queue: string, message: Message, cause: unknown): void {
  const { id, attempts } = message;
  log('error', 'job failed', { queue, messageId: id, attempts, cause: describeError(cause) });
  message.retry({ delaySeconds: Math.min(2 ** attempts, maxDelaySeconds) });
}

/** Handles messages one by one, so that a failure does not affect the others. */
export const handleEachMessage =
  <Body>(handle: (message: Body) => Promise<void>) =>
  async (messages: Body[]): Promise<MessageFailures<Body>> => {
    const failures = new Map<Body, unknown>();
    for (const message of messages) await handle(message).catch((error: unknown) => failures.set(message, error));
    return failures;
  };
