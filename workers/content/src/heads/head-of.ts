import type { ContentEnvironment } from '../environment.ts';
import type { SpaceHead } from './space-head.ts';

/** The environment of what moves content. It stands here, since what a head runs knows of no heads. */
export interface HeadEnvironment extends ContentEnvironment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
}

/** The object that takes the turns of a space. */
export const headOf = (env: Pick<HeadEnvironment, 'SPACE_HEAD'>, space: string) =>
  env.SPACE_HEAD.get(env.SPACE_HEAD.idFromName(space));
