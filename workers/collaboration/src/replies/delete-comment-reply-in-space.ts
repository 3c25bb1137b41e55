import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { deleteReply } from './delete-reply.ts';

export const deleteCommentReplyInSpace: Handler<
  typeof collaboration.deleteCommentReplyInSpace,
  CollaborationEnvironment
> = ({ params }, context) => deleteReply({ comment: params.commentId, id: params.commentReplyId }, context);
