import type { Database, outbox } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import type { HeadEnvironment } from '../heads/head-of.ts';

/** An event or a job that was taken from the outbox. */
export type Taken = typeof outbox.$inferSelect;

export interface JobContext {
  db: Database;
  env: HeadEnvironment;
  background: Background;
}

/** Does what a message asks for and settles it, in one batch with its work where it writes. It may run twice. */
export type Job = (taken: Taken, context: JobContext) => Promise<void>;
