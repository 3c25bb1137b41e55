import type { RecordOf, RowsOf } from '@octavo/db';
import { comments, createUserFields, nullable, prepareStatement, runBatch, selection, users } from '@octavo/db';
import type { SpaceId, UserId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { getBranch } from '../discussion/branch.ts';
import type { PostedRecord } from '../discussion/posted.ts';
import {
  addReactions,
  getPostedFields,
  keyFields,
  matchColumns,
  selectFittingPosts,
  selectTimeOrder,
  selectWeight,
} from '../discussion/posted.ts';
import { readReactions, selectReactions } from '../discussion/reactions.ts';

const c = aliasedTable(comments, 'c');

/** `document` is the hash of the page's document when the comment was posted. */
const commentFields = {
  ...getPostedFields(c),
  page: c.page,
  node: c.node,
  document: c.document,
  about: c.about,
  review: c.review,
  revision: c.revision,
  resolvedAt: c.resolvedAt,
  resolvedBy: nullable(createUserFields(aliasedTable(users, 'resolver'))),
  replies: c.replies,
};
const commentRow = selection({ ...keyFields, posted: nullable(commentFields) });

export type CommentRecord = PostedRecord & RecordOf<typeof commentFields>;

interface CommentSelection {
  /** Selects the `id`, `created_at`, `matches` and `weight` of comments. */
  selection: SQL;
  order: 'asc' | 'desc';
  viewer: SQL | string;
}

/** Returns two statements that read comments. Comments that exceed the size limit of a response are left out. */
export function selectComments({ selection, order, viewer }: CommentSelection) {
  const keys = selectFittingPosts('comments', selection, selectTimeOrder(order));
  return {
    rows: commentRow.query(sql`
      SELECT f.*, ${commentRow} FROM (${keys}) f LEFT JOIN comments c ON c.id = f.id AND f.matches
      LEFT JOIN users author ON author.id = c.author LEFT JOIN users resolver ON resolver.id = c.resolved_by
      ORDER BY ${selectTimeOrder(order)}`),
    reactions: selectReactions(sql`SELECT f.id FROM (${keys}) f WHERE f.matches`, viewer),
  };
}

const selectSingleComment = (id: SQL<string>, branch: SQL<string>, space: SQL<SpaceId>, viewer: SQL<UserId>) =>
  selectComments({
    selection: sql`SELECT id, created_at, ${matchColumns}, ${selectWeight('markdown')} FROM comments
      WHERE id = ${id} AND branch = ${branch} AND space = ${space}`,
    order: 'desc',
    viewer,
  });

const selectCommentRows = prepareStatement(
  (id: SQL<string>, branch: SQL<string>, space: SQL<SpaceId>, viewer: SQL<UserId>) =>
    selectSingleComment(id, branch, space, viewer).rows,
);
const selectCommentReactions = prepareStatement(
  (id: SQL<string>, branch: SQL<string>, space: SQL<SpaceId>, viewer: SQL<UserId>) =>
    selectSingleComment(id, branch, space, viewer).reactions,
);

/** Returns two statements that read one comment on the branch. */
export function selectComment(id: string, context: BranchContext) {
  const { space, actor } = context;
  const branch = getBranch(context);
  return {
    rows: selectCommentRows(id, branch, space.id, actor.id),
    reactions: selectCommentReactions(id, branch, space.id, actor.id),
  };
}

/** @throws ApiError not_found */
export function readFoundComment({ rows: [row], reactions }: RowsOf<ReturnType<typeof selectComment>>): CommentRecord {
  if (row === undefined) throw notFound('comment');
  return addReactions(row, readReactions(reactions));
}

/** @throws ApiError not_found */
export const findComment = async (id: string, context: BranchContext): Promise<CommentRecord> =>
  readFoundComment(await runBatch(context.db, selectComment(id, context)));
