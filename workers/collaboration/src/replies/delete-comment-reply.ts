import { commentReplies, commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import { and, eq } from 'drizzle-orm';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, requireDelete } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { findReply, replyExists } from './reply-record.ts';

export const deleteCommentReply: Handler<
  Served<typeof collaboration, 'deleteCommentReply'>,
  CollaborationEnvironment
> = async ({ params: { commentId: comment, commentReplyId: id } }, context) => {
  const { db, space, commit } = context;
  const place = { comment, id };
  requireDelete(await findReply(place, context), context);
  await commitChecked(db, [...branchExists(context), replyExists(place, context)], (guards) =>
    commit(
      [...guards, db.delete(commentReplies).where(and(eq(commentReplies.id, id), eq(commentReplies.space, space.id)))],
      [{ type: 'comment_reply.deleted', ...placeOf(context), data: { ...onComment(comment, context), reply: id } }],
    ),
  );
  return undefined;
};
