import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { bodyText } from '../comments/body.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { postReply } from './post-reply.ts';

export const postCommentReplyInChangeRequest: Handler<
  typeof collaboration.postCommentReplyInChangeRequest,
  CollaborationEnvironment
> = ({ params, query, body }, context) =>
  postReply({ comment: params.commentId, text: bodyText(body.body), format: query.format }, context);
