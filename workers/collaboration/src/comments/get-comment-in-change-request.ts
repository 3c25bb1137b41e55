import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { findComment } from './comment-record.ts';
import { presentComment } from './present-comment.ts';

export const getCommentInChangeRequest: Handler<
  typeof collaboration.getCommentInChangeRequest,
  CollaborationEnvironment
> = async ({ params, query }, context) =>
  presentComment(await findComment(params.commentId, context), query.format, context);
