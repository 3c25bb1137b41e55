import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { findComment } from './comment-record.ts';
import { presentComment } from './present-comment.ts';

export const getComment: Handler<Served<typeof collaboration, 'getComment'>, CollaborationEnvironment> = async (
  { params, query },
  context,
) => presentComment(await findComment(params.commentId, context), query.format, context);
