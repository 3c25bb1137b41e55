import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { listReplies } from './list-replies.ts';

export const listCommentRepliesInSpace: Handler<
  typeof collaboration.listCommentRepliesInSpace,
  CollaborationEnvironment
> = ({ params, query }, context) => listReplies(params.commentId, query, context);
