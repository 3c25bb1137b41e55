import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { deleteComment } from './delete-comment.ts';

export const deleteCommentInChangeRequest: Handler<
  typeof collaboration.deleteCommentInChangeRequest,
  CollaborationEnvironment
> = ({ params }, context) => deleteComment(params.commentId, context);
