import type { Environment } from '@octavo/runtime';

export interface ContentEnvironment extends Environment {
  /** The bytes of files, under `<organization>/<SHA-256>`, and moved texts, under `texts/`. */
  FILES: R2Bucket;
  /** The secret that signs URLs. */
  OCTAVO_SECRET: string;
  /** The token of a monitoring system that reads `/metrics`. Without it the page does not exist. */
  OCTAVO_METRICS_TOKEN?: string;
  /** The number of days after which unused texts are moved to `FILES`. None are moved if it is `0` or absent. */
  OCTAVO_TEXT_DAYS?: string;
}
