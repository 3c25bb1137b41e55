import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readTree } from './read-tree.ts';

export const listPagesInRevisionById: Handler<typeof content.listPagesInRevisionById, ContentEnvironment> = (
  { query },
  { db, point, space, urls },
) => readTree({ db, point, space: space.id, query, urls });
