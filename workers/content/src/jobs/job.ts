import type { Database } from '@octavo/db';
import type { Background, OutboxEvent } from '@octavo/runtime';
import type { ConsumedEventType } from '@octavo/schema';
import type { HeadEnvironment } from '../heads/space-head.ts';

export interface JobContext {
  db: Database;
  env: HeadEnvironment;
  background: Background;
}

/** Does what a message asks for and settles it, in one batch with its work where it writes. It may run twice. */
export type Job<Type extends ConsumedEventType> = (taken: OutboxEvent<Type>, context: JobContext) => Promise<void>;
