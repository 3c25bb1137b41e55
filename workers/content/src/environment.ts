import type { Environment } from '@octavo/runtime';
import type { SpaceHead } from './space-head/space-head.ts';

export interface ContentEnvironment extends Environment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
}
