import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReply } from './present-reply.ts';
import { findReply } from './reply-record.ts';

export const getCommentReply: Handler<
  Served<typeof collaboration, 'getCommentReply'>,
  CollaborationEnvironment
> = async ({ params: { commentId: comment, commentReplyId: id }, query: { format } }, context) =>
  presentReply(await findReply({ comment, id }, context), { comment, format, context });
