import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReply } from './present-reply.ts';
import { findReply } from './reply-record.ts';

export const getCommentReplyInSpace: Handler<
  typeof collaboration.getCommentReplyInSpace,
  CollaborationEnvironment
> = async ({ params, query }, context) => {
  const comment = params.commentId;
  const record = await findReply({ comment, id: params.commentReplyId }, context);
  return presentReply(record, { comment, format: query.format, context });
};
