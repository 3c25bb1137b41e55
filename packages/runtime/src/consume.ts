import type { Database, Row, Statement } from '@octavo/db';
import { commit, commitCheckedOnce } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type * as z from 'zod';
import type { Background, EventQueues } from './environment.ts';
import { describe, log } from './errors.ts';
import type { Taken } from './outbox.ts';
import { AlreadySettled, sendEvents, settleEvent } from './outbox.ts';

interface StepContext {
  db: Database;
  env: EventQueues;
  background: Background;
}

interface StepWork {
  statements: Statement[];
  events?: NewEvent[];
  /** How long what comes next has to wait at least. */
  delaySeconds?: number;
}

/**
 * Writes what a step of a job did, settles it and queues what comes next, in one batch. Gives the rows of the statements.
 * @throws AlreadySettled where another run of the same message came first: what comes next is queued once
 */
export async function commitStep(
  { db, env, background }: StepContext,
  taken: Taken,
  { statements, events = [], delaySeconds = 0 }: StepWork,
): Promise<Row[]> {
  const caller = { actor: taken.actor, requestId: taken.requestId };
  const isOpen = {
    holds: sql`EXISTS (SELECT 1 FROM outbox WHERE id = ${taken.id} AND done_at IS NULL)`,
    otherwise: () => new AlreadySettled(),
  };
  const { rows, waiting } = await commitCheckedOnce(db, [isOpen], (guards) =>
    commit(db, caller, { guards, statements, settled: settleEvent(db, taken.id) }, events),
  );
  sendEvents(
    env,
    background,
    waiting.map((message) => ({ ...message, delaySeconds })),
  );
  return rows.statements;
}

interface Message {
  id: string;
  attempts: number;
  body: unknown;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

const maxDelaySeconds = 300;

/** Settles each message of a batch on its own: parsed, handled, acknowledged, or retried with back-off. */
export async function consume<Schema extends z.ZodType>(
  batch: { queue: string; messages: readonly Message[] },
  schema: Schema,
  handle: (message: z.infer<Schema>) => Promise<void>,
): Promise<void> {
  for (const message of batch.messages) {
    try {
      await handle(schema.parse(message.body));
      message.ack();
    } catch (error) {
      const delaySeconds = Math.min(2 ** message.attempts, maxDelaySeconds);
      log('error', 'job failed', {
        queue: batch.queue,
        message: message.id,
        attempts: message.attempts,
        cause: describe(error),
      });
      message.retry({ delaySeconds });
    }
  }
}
