import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { updateComment } from './update-comment.ts';

export const updateCommentInChangeRequest: Handler<
  typeof collaboration.updateCommentInChangeRequest,
  CollaborationEnvironment
> = ({ params, body }, context) => updateComment(params.commentId, body, context);
