import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { bodyText } from '../comments/body.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { postReply } from './post-reply.ts';

export const postCommentReplyInSpace: Handler<
  typeof collaboration.postCommentReplyInSpace,
  CollaborationEnvironment
> = ({ params, body }, context) =>
  postReply({ comment: params.commentId, text: bodyText(body.body), format: 'markdown' }, context);
