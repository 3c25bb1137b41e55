import type { Environment } from '@octavo/runtime';
import type { SpaceHead } from './heads/space-head.ts';

export interface ContentEnvironment extends Environment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
  /** The bytes of files, under `<organization>/<SHA-256>`. */
  FILES: R2Bucket;
  /** What signatures of addresses are made with. */
  OCTAVO_SECRET: string;
}
