import type { Database } from '@octavo/db';
import type { Background, OutboxEvent } from '@octavo/runtime';
import type { ConsumedEventType } from '@octavo/schema';
import type { HeadEnvironment } from '../heads/space-head.ts';

export interface JobContext {
  db: Database;
  env: HeadEnvironment;
  background: Background;
}

/** Handles a message and settles it, in one batch with its writes. A job may run twice for the same message. */
export type Job<Type extends ConsumedEventType> = (event: OutboxEvent<Type>, context: JobContext) => Promise<void>;
