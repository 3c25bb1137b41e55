import type { Environment } from '@octavo/runtime';

export interface ContentEnvironment extends Environment {
  /** The bytes of files, under `<organization>/<SHA-256>`. */
  FILES: R2Bucket;
  /** The secret that signs URLs. */
  OCTAVO_SECRET: string;
}
