import { comments, commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import { and, eq } from 'drizzle-orm';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, commentExists, requireDelete } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { findComment } from './comment-record.ts';

/** Its replies and reactions go with it, by a trigger. */
export const deleteComment: Handler<Served<typeof collaboration, 'deleteComment'>, CollaborationEnvironment> = async (
  { params: { commentId: id } },
  context,
) => {
  const { db, space, commit } = context;
  requireDelete(await findComment(id, context), context);
  await commitChecked(db, [...branchExists(context), commentExists(id, context)], (guards) =>
    commit(
      [...guards, db.delete(comments).where(and(eq(comments.id, id), eq(comments.space, space.id)))],
      [{ type: 'comment.deleted', ...placeOf(context), data: onComment(id, context) }],
    ),
  );
  return undefined;
};
