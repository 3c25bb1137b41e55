import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { postComment } from './post-comment.ts';

export const postCommentInSpace: Handler<typeof collaboration.postCommentInSpace, CollaborationEnvironment> = (
  { body },
  context,
) => postComment(body, context);
