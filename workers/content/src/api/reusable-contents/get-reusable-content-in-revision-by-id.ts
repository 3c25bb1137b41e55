import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readReusableContent } from './read-reusable-content.ts';

export const getReusableContentInRevisionById: Handler<
  typeof content.getReusableContentInRevisionById,
  ContentEnvironment
> = ({ params }, { db, point }) => readReusableContent(params.reusableContentId, { db, point });
