import type { RecordOf, RowsOf } from '@octavo/db';
import {
  changeRequests,
  comments,
  createUserFields,
  fromQuery,
  nullable,
  prepareStatement,
  runBatch,
  selection,
  spaces,
  users,
} from '@octavo/db';
import type { SpaceId, UserId } from '@octavo/schema';
import { getRoleByRank, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext, PostedRecord } from '../discussion/discussion.ts';
import {
  addReactions,
  getBranch,
  getPostedFields,
  keyFields,
  matchColumns,
  selectFittingPosts,
  selectTimeOrder,
  selectWeight,
} from '../discussion/discussion.ts';
import { readReactions, selectReactions } from '../discussion/reactions.ts';

const c = aliasedTable(comments, 'c');

/** `document` is the hash of the page's document when the comment was posted. */
const commentFields = {
  ...getPostedFields(c),
  page: c.page,
  node: c.node,
  document: c.document,
  about: c.about,
  suggestion: c.suggestion,
  review: c.review,
  revision: c.revision,
  resolvedAt: c.resolvedAt,
  resolvedBy: nullable(createUserFields(aliasedTable(users, 'resolver'))),
  replies: c.replies,
};
const commentRow = selection({ ...keyFields, posted: nullable(commentFields) });
const [s, cr] = [aliasedTable(spaces, 's'), aliasedTable(changeRequests, 'cr')];
const organizationCommentRow = selection({
  ...commentRow.fields,
  space: nullable({ id: s.id, title: s.title }),
  changeRequest: nullable({ id: cr.id, number: cr.number, subject: cr.subject }),
  role: nullable(fromQuery(getRoleByRank)),
});

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

/** Like `selectComments` for comments in several spaces. `rank` is the rank of the viewer on `spaces s`. */
export function selectOrganizationComments({ selection, order, viewer, rank }: CommentSelection & { rank: SQL }) {
  const keys = selectFittingPosts('comments', selection, selectTimeOrder(order));
  return {
    rows: organizationCommentRow.query(sql`
      SELECT f.*, ${organizationCommentRow.with({ role: rank })}
      FROM (${keys}) f LEFT JOIN comments c ON c.id = f.id AND f.matches LEFT JOIN spaces s ON s.id = c.space
      LEFT JOIN change_requests cr ON cr.id = c.branch
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
export function toCommentRecord({ rows: [row], reactions }: RowsOf<ReturnType<typeof selectComment>>): CommentRecord {
  if (row === undefined) throw notFound('comment');
  return addReactions(row, readReactions(reactions));
}

/** @throws ApiError not_found */
export const findComment = async (id: string, context: BranchContext): Promise<CommentRecord> =>
  toCommentRecord(await runBatch(context.db, selectComment(id, context)));
