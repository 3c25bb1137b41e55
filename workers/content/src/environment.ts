import type { Environment } from '@octavo/runtime';

export interface ContentEnvironment extends Environment {
  /** The bytes of files, under `<organization>/<SHA-256>`. */
  FILES: R2Bucket;
  /** The secret that signs URLs. */
  OCTAVO_SECRET: string;
  /** The token with which a monitoring system reads `/metrics`. Without it the page does not exist. */
  OCTAVO_METRICS_TOKEN?: string;
}
