import type { CausedEvent, Database, Statement } from '@octavo/db';
import type { jobData, SpaceId } from '@octavo/schema';
import type * as z from 'zod';

export type PurgeData = z.infer<typeof jobData.purge_space>;

/** What a step of a purge writes, and where the next one goes on: undefined where this one is the last. */
export interface PurgePart {
  statements: Statement[];
  next: PurgeData | undefined;
  events?: CausedEvent[];
}

export interface Purge {
  space: SpaceId;
  after: PurgeData['after'];
  files: R2Bucket;
}

/** Finds what a stage deletes next. It may run twice: what is gone already is not found again. */
export type Stage = (db: Database, purge: Purge) => Promise<PurgePart>;

/** The most rows of one kind that a step deletes, and that it reads to find them. */
export const maxRows = 500;
