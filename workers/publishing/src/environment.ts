import type { Environment } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

export interface PublishingEnvironment extends Environment {
  CONTENT: ContentService;
  /** PDFs, by their ids. */
  RENDERED: R2Bucket;
  /** The fonts that PDFs are set in, as files. */
  FONTS: Fetcher;
  /** What signatures of addresses are made with. */
  OCTAVO_SECRET: string;
}
