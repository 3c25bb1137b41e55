import type { DatabaseBinding } from '@octavo/db';
import type { Environment, InProcessWorker } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

export interface PublishingEnvironment extends Environment {
  /** `state()` returns a value that changes with each write, if the database can provide it without an SQL query. */
  DB: DatabaseBinding & { getState?(): string };
  CONTENT: ContentService;
  /** Stores PDFs and objects of specifications. */
  RENDERED: R2Bucket;
  /** The public API of the content worker. */
  CONTENT_API: Fetcher | InProcessWorker;
  /** Files of the build: `fonts/<name>.ttf` for PDFs, and below `reader/` the files that pages of sites load. */
  FILES: Fetcher;
  /** Reads specifications in a separate thread, on one machine only. */
  SPECIFICATIONS?: Fetcher;
  /** Secret from which signing keys are derived. */
  OCTAVO_SECRET: string;
}
