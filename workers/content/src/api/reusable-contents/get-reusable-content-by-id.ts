import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readReusableContent } from './read-reusable-content.ts';

export const getReusableContentById: Handler<typeof content.getReusableContentById, ContentEnvironment> = (
  { params },
  { db, point },
) => readReusableContent(params.reusableContentId, { db, point });
