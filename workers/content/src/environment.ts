import type { Environment } from '@octavo/runtime';

export interface ContentEnvironment extends Environment {
  /** The bytes of files, under `<organization>/<SHA-256>`. */
  FILES: R2Bucket;
  /** What signatures of addresses are made with. */
  OCTAVO_SECRET: string;
}
