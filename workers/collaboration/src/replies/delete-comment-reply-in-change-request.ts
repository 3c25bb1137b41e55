import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { deleteReply } from './delete-reply.ts';

export const deleteCommentReplyInChangeRequest: Handler<
  typeof collaboration.deleteCommentReplyInChangeRequest,
  CollaborationEnvironment
> = ({ params }, context) => deleteReply({ comment: params.commentId, id: params.commentReplyId }, context);
