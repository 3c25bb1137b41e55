import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readRevision } from './read-revision.ts';

export const getCurrentRevision: Handler<typeof content.getCurrentRevision, ContentEnvironment> = (
  { query },
  { env, db, point, space, urls },
) => readRevision({ db, place: { space: space.id, branch: space.id }, point, query, urls, env });
