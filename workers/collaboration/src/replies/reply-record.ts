import type { Check, RowsOf } from '@octavo/db';
import { commentReplies, maybe, runBatch, selection } from '@octavo/db';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf } from '../discussion/branch.ts';
import type { PostedRecord } from '../discussion/posted.ts';
import {
  byTime,
  fittedPosts,
  isFound,
  keyFields,
  postedFields,
  weightIn,
  withReactions,
} from '../discussion/posted.ts';
import { readReactions, selectReactions } from '../discussion/reactions.ts';

/** Where a reply is: its comment, and itself. */
export interface ReplyPlace {
  comment: string;
  id: string;
}

const replyRow = selection({ ...keyFields, posted: maybe(postedFields(aliasedTable(commentReplies, 'r'))) });

/** Two statements that read the replies of which `found` gives `id`, `created_at`, `matches` and `weight`. */
export function selectReplies(found: SQL, viewer: string) {
  const keys = fittedPosts('comment_replies', found, byTime('desc'));
  return {
    rows: replyRow.query(sql`
      SELECT f.*, ${replyRow}
      FROM (${keys}) f LEFT JOIN comment_replies r ON r.id = f.id LEFT JOIN users author ON author.id = r.author
      ORDER BY ${byTime('desc')}`),
    reactions: selectReactions(sql`SELECT f.id FROM (${keys}) f`, viewer),
  };
}

/** `selectReplies` of one. */
export function selectReply({ comment, id }: ReplyPlace, context: BranchContext) {
  const found = sql`SELECT id, created_at, ${isFound}, ${weightIn('markdown')} FROM comment_replies WHERE id = ${id} AND comment = ${comment}
    AND branch = ${branchOf(context)} AND space = ${context.space.id}`;
  return selectReplies(found, context.actor.id);
}

/** From the rows of `selectReply`. @throws ApiError not_found */
export function readFoundReply({ rows: [row], reactions }: RowsOf<ReturnType<typeof selectReply>>): PostedRecord {
  if (row === undefined) throw notFound('reply');
  return withReactions(row, readReactions(reactions));
}

/** @throws ApiError not_found */
export const findReply = async (place: ReplyPlace, context: BranchContext): Promise<PostedRecord> =>
  readFoundReply(await runBatch(context.db, selectReply(place, context)));

/** The reply is there, on the branch. */
export const replyExists = ({ comment, id }: ReplyPlace, context: BranchContext): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM comment_replies WHERE id = ${id} AND comment = ${comment}
    AND branch = ${branchOf(context)} AND space = ${context.space.id})`,
  otherwise: () => notFound('reply'),
});
