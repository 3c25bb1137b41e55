import type { Check, RecordOf, Statement } from '@octavo/db';
import {
  comments,
  commitChecked,
  contributors,
  createCursorError,
  decodeCursor,
  getOnlyRow,
  isAfterCursor,
  paginate,
  paginateMatches,
  readRow,
  readRows,
  scanFields,
  scanRows,
  selection,
  userRow,
} from '@octavo/db';
import { getMentions } from '@octavo/markdown';
import type { Context, HandlerInput } from '@octavo/runtime';
import { requireHead } from '@octavo/runtime';
import type { Contributor, collaboration, NewEvent } from '@octavo/schema';
import { createId, forbidden, formatTimestamp, getSpacePermissions, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/discussion.ts';
import {
  createBranchChecks,
  createMentionChecks,
  createOpenCheck,
  presentPerson,
  readBodyText,
  toCommentData,
  toEventScope,
} from '../discussion/discussion.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import type { ReviewRecord } from './queries.ts';
import {
  findReviewById,
  presentReview,
  presentReviewComments,
  readReviewComments,
  reviewRow,
  selectReviewComments,
} from './queries.ts';

const listedRow = selection({ ...reviewRow.fields, ...scanFields });

export const getReviewsByChangeRequestId = handler('getReviewsByChangeRequestId', async ({ query }, context) => {
  const { db, space, changeRequest } = context;
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const reviews = scanRows({
    columns: listedRow.getSQL(),
    from: sql`FROM reviews rv CROSS JOIN change_requests cr ON cr.id = rv.change_request
        CROSS JOIN users reviewer ON reviewer.id = rv.reviewer LEFT JOIN users asker ON asker.id = rv.requested_by
        WHERE rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}
        AND ${isAfterCursor(cursor, sql`rv.created_at`, sql`rv.id`)}`,
    order: sql`rv.created_at DESC, rv.id DESC`,
    matches: query.outdated === undefined ? undefined : sql`${listedRow.names.outdated} = ${query.outdated ? 1 : 0}`,
    limit: query.limit,
  });
  const rows = await readRows(db, listedRow.query(reviews));
  const getCursor = ({ createdAt, id }: ReviewRecord) => [createdAt, id];
  const { items, ...page } = paginateMatches(rows, query.limit, { item: (review) => review, getCursor });
  const comments = await readReviewComments(items, query.format, context);
  const presentItem = (review: ReviewRecord) => presentReview(review, comments, context);
  const isMissing = ({ comment }: ReviewRecord) => comment !== null && !comments.has(comment);
  const cut = items.findIndex(isMissing);
  if (cut <= 0) return { ...page, items: items.map(presentItem) };
  // Reviews that exceed the size limit of a response start the next page.
  return paginate(items.slice(0, cut), query.limit, { item: presentItem, getCursor, end: items[cut - 1] });
});

export const getChangeRequestReviewById = handler('getChangeRequestReviewById', async ({ params, query }, context) => {
  const { db, space, changeRequest } = context;
  const review = await readRow(db, findReviewById(params.reviewId, changeRequest.id, space.id));
  if (review === undefined) throw notFound('review');
  return presentReview(review, await readReviewComments([review], query.format, context), context);
});

type Operation = typeof collaboration.submitChangeRequestReview;
type SubmissionContext = Context<Operation, CollaborationEnvironment>;

/**
 * Replaces the reviewer's earlier reviews, and completes the review requests to the reviewer and to the reviewer's
 * teams.
 */
export const submitChangeRequestReview = handler(
  'submitChangeRequestReview',
  async ({ body: { status, comment } }, context) => {
    const { db, space, changeRequest, commit, expected } = context;
    requireHead(changeRequest.head.id, expected);
    const remark = readComment(comment);
    const ownRequests = selectOwnRequests(context);
    const checks = [
      ...createBranchChecks(context),
      createOpenCheck(changeRequest, 'reviewed'),
      ...createRequestChecks(context, ownRequests),
      ...createMentionChecks(remark?.mentions ?? [], context, 'body.comment'),
    ];
    const id = createId('review');
    const commented = createId('comment');
    const events: NewEvent[] = [
      {
        type: 'change_request.reviewed',
        ...toEventScope(context),
        data: { changeRequest: changeRequest.id, review: id, status },
      },
    ];
    if (remark !== undefined) {
      const data = { ...toCommentData(commented, context), mentions: remark.mentions };
      events.push({ type: 'comment.created', ...toEventScope(context), data });
    }
    const now = Date.now();
    const statements = [
      supersedeReviews(context, now),
      insertReview(context, { id, status, requests: ownRequests, now }),
      db.run(sql`DELETE FROM requested_reviewers WHERE ${ownRequests}`),
      ...(remark === undefined ? [] : [insertComment(context, { id: commented, review: id, text: remark.text, now })]),
    ];
    const review = findReviewById(id, changeRequest.id, space.id);
    const comments = remark === undefined ? { rows: [], reactions: [] } : selectReviewComments([id], context);
    const rows = await commitChecked(db, checks, (guards) =>
      commit({ guards, written: statements, review, comments }, events),
    );
    return presentReview(
      getOnlyRow(rows.review),
      await presentReviewComments(rows.comments, 'markdown', context),
      context,
    );
  },
);

function readComment(comment: HandlerInput<Operation>['body']['comment']) {
  if (comment === undefined || !('markdown' in comment || 'document' in comment)) return undefined;
  const text = readBodyText(comment, 'body.comment');
  return { text, mentions: getMentions(text) };
}

const insertComment = (
  { db, space, changeRequest, actor }: SubmissionContext,
  { id, review, text, now }: { id: string; review: string; text: string; now: number },
): Statement =>
  db.insert(comments).values({
    ...{ id, space: space.id, organization: space.organization, branch: changeRequest.id, review },
    revision: changeRequest.head.id,
    ...{ author: actor.id, body: text, createdAt: now },
  });

/**
 * Selects the review requests that a review by the actor completes: requests to the actor and to teams of the actor.
 */
const selectOwnRequests = ({
  space,
  changeRequest,
  actor,
}: SubmissionContext) => sql`change_request = ${changeRequest.id}
  AND organization = ${space.organization} AND (kind = 'user' AND subject = ${actor.id}
    OR kind = 'team' AND EXISTS (SELECT 1 FROM team_members tm
      WHERE tm.team = subject AND tm.user = ${actor.id} AND tm.organization = ${space.organization}))`;

/**
 * If the caller may review only because of a request, that request must still be open: another review by the same
 * caller may have completed it.
 */
function createRequestChecks({ role, actor }: SubmissionContext, requests: SQL): Check[] {
  if (getSpacePermissions(role, false).review) return [];
  return [
    {
      condition: sql`EXISTS (SELECT 1 FROM requested_reviewers WHERE ${requests} AND requested_by <> ${actor.id})`,
      createError: () => forbidden('You already submitted the review that was requested from you.'),
    },
  ];
}

const supersedeReviews = ({ db, changeRequest, actor }: SubmissionContext, now: number): Statement =>
  db.run(sql`UPDATE reviews SET superseded_at = ${now}
    WHERE change_request = ${changeRequest.id} AND reviewer = ${actor.id} AND superseded_at IS NULL`);

/** Records the revision that authorization found: an edit since then outdates the review at once. */
function insertReview(
  { db, space, changeRequest, actor }: SubmissionContext,
  { id, status, requests, now }: { id: string; status: string; requests: SQL; now: number },
): Statement {
  const { head } = changeRequest;
  return db.run(sql`
    INSERT INTO reviews (id, space, change_request, revision, seq, reviewer, requested_by, status, created_at, updated_at)
    VALUES (${id}, ${space.id}, ${changeRequest.id}, ${head.id}, ${head.branch === changeRequest.id ? head.seq : 0}, ${actor.id},
      (SELECT requested_by FROM requested_reviewers WHERE ${requests} ORDER BY kind DESC, created_at LIMIT 1),
      ${status}, ${now}, ${now})`);
}

const c = aliasedTable(contributors, 'c');
const contributorRow = selection({ action: c.action, count: c.count, updatedAt: c.updatedAt, user: userRow.fields });

/** Lists contributors in reverse order of the primary key: editors, then commenters. */
export const getContributorsByChangeRequestId = handler(
  'getContributorsByChangeRequestId',
  async ({ query }, context) => {
    const { db, space, changeRequest } = context;
    const cursor = decodeCursor(query.page, ['string', 'string']);
    if (cursor !== undefined && cursor[0] !== 'edit' && cursor[0] !== 'comment') throw createCursorError();
    const contributors = contributorRow.query(sql`
      SELECT ${contributorRow}
      FROM contributors c CROSS JOIN users u ON u.id = c.user
      WHERE c.branch = ${changeRequest.id} AND c.space = ${space.id} AND ${isAfterCursor(cursor, sql`c.action`, sql`c.user`)}
      ORDER BY c.action DESC, c.user DESC LIMIT ${query.limit + 1}`);
    return paginate(await readRows(db, contributors), query.limit, {
      item: (contributor) => presentContributor(contributor, context),
      getCursor: ({ action, user }) => [action, user.id],
    });
  },
);

const presentContributor = (
  { user, action, count, updatedAt }: RecordOf<typeof contributorRow>,
  context: BranchContext,
): Contributor => ({
  user: presentPerson(user, context),
  actionType: action,
  count,
  updatedAt: formatTimestamp(updatedAt),
});
