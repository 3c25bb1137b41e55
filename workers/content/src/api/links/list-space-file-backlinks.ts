import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readFileBacklinks } from './read-space-links.ts';

export const listSpaceFileBacklinks: Handler<typeof content.listSpaceFileBacklinks, ContentEnvironment> = (
  { params, query },
  { env, db, urls, space, role, actor, point },
) => readFileBacklinks(params.fileId, { env, db, urls, space, role, actor, point }, query);
