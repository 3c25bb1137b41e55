import type { Handler } from '@octavo/runtime';
import { presentSpace, presentVisited } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';

export const getSpaceById: Handler<typeof content.getSpaceById, ContentEnvironment> = (
  _,
  { space, role, urls, visitor },
) => (visitor === undefined ? presentSpace(space, role, urls) : presentVisited(space, visitor.site, urls));
