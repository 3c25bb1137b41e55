import type { DatabaseBinding } from '@octavo/db';
import type { Environment, InProcessWorker } from '@octavo/runtime';
import type { ContentService, RenderService } from '@octavo/schema';

export interface PublishingEnvironment extends Environment {
  /**
   * `getState` returns a value that changes with each write. It is missing if the database cannot provide such a value
   * without an SQL query.
   */
  DB: DatabaseBinding & { getState?(): string };
  CONTENT: ContentService;
  /** Stores PDFs, objects of specifications and rendered documents. */
  RENDERED: R2Bucket;
  /** The public API of the content worker. */
  CONTENT_API: Fetcher | InProcessWorker;
  /** The files of the build that pages of sites load, below `reader/`. */
  FILES: Fetcher;
  /** Prints PDFs and reads specifications. On one machine, it is a separate process. */
  RENDER: RenderService;
  /** `1` on one machine. */
  OCTAVO_ONE_ISOLATE?: string;
  /**
   * The number of seconds for which an isolate uses a site without reading it again. If it is not zero, data centers
   * cache pages.
   */
  OCTAVO_SITE_MAX_AGE?: string;
  /** Secret from which signing keys are derived. */
  OCTAVO_SECRET: string;
}
