import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';

export const getCollectionById: Handler<typeof content.getCollectionById, ContentEnvironment> = (
  _,
  { collection, urls },
) => presentCollection(collection, urls);
