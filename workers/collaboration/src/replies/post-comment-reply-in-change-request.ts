import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { postReply } from './post-reply.ts';

export const postCommentReplyInChangeRequest: Handler<
  typeof collaboration.postCommentReplyInChangeRequest,
  CollaborationEnvironment
> = ({ params, query, body }, context) =>
  postReply({ comment: params.commentId, markdown: body.body.markdown, format: query.format }, context);
