import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { updateReply } from './update-reply.ts';

export const updateCommentReplyInChangeRequest: Handler<
  typeof collaboration.updateCommentReplyInChangeRequest,
  CollaborationEnvironment
> = ({ params, body }, context) => updateReply({ comment: params.commentId, id: params.commentReplyId }, body, context);
