import type { ContentEnvironment } from '../environment.ts';

/** The object that takes the turns of a space. */
export const headOf = (env: Pick<ContentEnvironment, 'SPACE_HEAD'>, space: string) =>
  env.SPACE_HEAD.get(env.SPACE_HEAD.idFromName(space));
