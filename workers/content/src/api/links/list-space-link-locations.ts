import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readLinkLocations } from './read-space-links.ts';

export const listSpaceLinkLocations: Handler<typeof content.listSpaceLinkLocations, ContentEnvironment> = (
  { params, query },
  { env, db, urls, space, role, actor, point },
) => readLinkLocations(params.linkId, { env, db, urls, space, role, actor, point }, query);
