import { commentReplies, commitChecked } from '@octavo/db';
import { and, eq } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, requireDelete } from '../discussion/checks.ts';
import type { ReplyPlace } from './reply-record.ts';
import { findReply } from './reply-record.ts';
import { replyExists } from './update-reply.ts';

export async function deleteReply(place: ReplyPlace, context: BranchContext): Promise<undefined> {
  const { db, space, commit } = context;
  const { comment, id } = place;
  requireDelete(await findReply(place, context), context);
  await commitChecked(db, [...branchExists(context), replyExists(place, context)], (guards) =>
    commit(
      [...guards, db.delete(commentReplies).where(and(eq(commentReplies.id, id), eq(commentReplies.space, space.id)))],
      [{ type: 'comment_reply.deleted', ...placeOf(context), data: { ...onComment(comment, context), reply: id } }],
    ),
  );
  return undefined;
}
