import type { Handler } from '@octavo/runtime';
import { presentSpace, presentVisited, shareKeyFor } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';

export const getSpaceById: Handler<typeof content.getSpaceById, ContentEnvironment> = async (
  _,
  { env, space, role, urls, visitor },
) =>
  visitor === undefined
    ? presentSpace(space, role, urls)
    : presentVisited(space, urls, await shareKeyFor(env, visitor));
