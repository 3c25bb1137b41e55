import { after, decodeCursor, given, lookThrough, paginateMatches, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { branchOf } from '../discussion/branch.ts';
import { commentExists } from '../discussion/checks.ts';
import { endOf, weightIn, withReactions } from '../discussion/posted.ts';
import { readReactions } from '../discussion/reactions.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReply } from './present-reply.ts';
import { selectReplies } from './reply-record.ts';

const knownRow = selection({ known: given(Boolean) });

/** Newest first. */
export const listCommentReplies: Handler<
  Served<typeof collaboration, 'listCommentReplies'>,
  CollaborationEnvironment
> = async ({ params: { commentId: comment }, query }, context) => {
  const { db, space, actor } = context;
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const found = lookThrough({
    columns: sql`r.id, r.created_at, ${weightIn(query.format)}`,
    from: sql`FROM comment_replies r INDEXED BY comment_replies_by_time WHERE r.comment = ${comment}
      AND r.branch = ${branchOf(context)} AND r.space = ${space.id} AND ${after(cursor, sql`r.created_at`, sql`r.id`)}`,
    order: sql`r.created_at DESC, r.id DESC`,
    matches: undefined,
    limit: query.limit,
  });
  const { known, replies } = await runBatch(db, {
    known: knownRow.query(sql`SELECT ${knownRow.with({ known: commentExists(comment, context).holds })}`),
    replies: selectReplies(found, actor.id),
  });
  if (!known[0]?.known) throw notFound('comment');
  const reacted = readReactions(replies.reactions);
  const { format, limit } = query;
  return paginateMatches(replies.rows, limit, {
    item: (row) => presentReply(withReactions(row, reacted), { comment, format, context }),
    cursorOf: endOf,
  });
};
