import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readReusableContent } from './read-reusable-content.ts';

export const getReusableContentInChangeRequestById: Handler<
  typeof content.getReusableContentInChangeRequestById,
  ContentEnvironment
> = ({ params }, { db, point }) => readReusableContent(params.reusableContentId, { db, point });
