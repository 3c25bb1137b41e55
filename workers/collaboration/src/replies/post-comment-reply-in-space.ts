import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { postReply } from './post-reply.ts';

export const postCommentReplyInSpace: Handler<
  typeof collaboration.postCommentReplyInSpace,
  CollaborationEnvironment
> = ({ params, body }, context) =>
  postReply({ comment: params.commentId, markdown: body.body.markdown, format: 'markdown' }, context);
