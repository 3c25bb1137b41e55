import type { DatabaseBinding } from '@octavo/db';
import type { Environment, InProcessWorker } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

export interface PublishingEnvironment extends Environment {
  /** `state` tells the state of the database from all others that it had, where that is known without a statement. */
  DB: DatabaseBinding & { state?(): string };
  CONTENT: ContentService;
  /** PDFs, by their ids. */
  RENDERED: R2Bucket;
  /** The content worker as clients of the API reach it. */
  CONTENT_API: Fetcher | InProcessWorker;
  /** Files of the build: `fonts/<name>.ttf` that PDFs are set in, and what pages of sites load, below `reader/`. */
  FILES: Fetcher;
  /** What signatures of addresses are made with. */
  OCTAVO_SECRET: string;
}
