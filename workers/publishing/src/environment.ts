import type { Environment, InProcessWorker } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

export interface PublishingEnvironment extends Environment {
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
