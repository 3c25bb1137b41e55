import type * as z from 'zod';
import { describe, log } from './log.ts';

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
