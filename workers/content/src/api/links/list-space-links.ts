import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readSpaceLinks } from './read-space-links.ts';

export const listSpaceLinks: Handler<typeof content.listSpaceLinks, ContentEnvironment> = (
  { query },
  { env, db, urls, space, role, actor, point },
) => readSpaceLinks({ env, db, urls, space, role, actor, point }, query);
