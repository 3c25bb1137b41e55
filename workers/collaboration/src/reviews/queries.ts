import type { Parameter, RecordOf, RowsOf } from '@octavo/db';
import {
  changeRequests,
  comments,
  computed,
  createUserFields,
  nullable,
  prepareQuery,
  reviews,
  runBatch,
  selection,
  users,
} from '@octavo/db';
import type { ChangeRequestId, Comment, ContentFormat, Review, SpaceId } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import { presentComments } from '../comments/presenter.ts';
import { selectComments } from '../comments/queries.ts';
import type { BranchContext } from '../discussion/discussion.ts';
import { addReactions, getBranch, matchColumns, presentPerson, selectWeight } from '../discussion/discussion.ts';
import { readReactions } from '../discussion/reactions.ts';

const [rv, cr] = [aliasedTable(reviews, 'rv'), aliasedTable(changeRequests, 'cr')];
const [reviewer, requesterTable] = [aliasedTable(users, 'reviewer'), aliasedTable(users, 'asker')];

/**
 * A review is outdated if its reviewer submitted another one, if another user requested the reviewer again, or if the
 * branch was edited after it.
 */
export const reviewRow = selection({
  id: rv.id,
  space: rv.space,
  changeRequest: rv.changeRequest,
  revision: rv.revision,
  status: rv.status,
  createdAt: rv.createdAt,
  updatedAt: rv.updatedAt,
  outdated: computed(Boolean, sql`(rv.superseded_at IS NOT NULL OR cr.edited_seq > rv.seq)`),
  comment: nullable(computed(comments.id, sql`(SELECT id FROM comments WHERE review = rv.id)`)),
  reviewer: createUserFields(reviewer),
  asker: nullable(createUserFields(requesterTable)),
});

export type ReviewRecord = RecordOf<typeof reviewRow>;

export const findReviewById = prepareQuery(
  reviewRow,
  (select, id: Parameter<string>, changeRequest: Parameter<ChangeRequestId>, space: Parameter<SpaceId>) =>
    select
      .from(rv)
      .crossJoin(cr)
      .crossJoin(reviewer)
      .leftJoin(requesterTable, eq(requesterTable.id, rv.requestedBy))
      .where(
        and(
          eq(rv.id, id),
          eq(rv.changeRequest, changeRequest),
          eq(rv.space, space),
          eq(cr.id, rv.changeRequest),
          eq(reviewer.id, rv.reviewer),
        ),
      ),
);

/** Selects the comments of reviews. Comments that exceed the size limit of a response are left out. */
export const selectReviewComments = (reviews: string[], context: BranchContext) =>
  selectComments({
    selection: sql`SELECT id, created_at, ${matchColumns}, ${selectWeight('markdown')} FROM comments
      WHERE review IN (SELECT value FROM json_each(${JSON.stringify(reviews)}))
        AND branch = ${getBranch(context)} AND space = ${context.space.id}`,
    order: 'desc',
    viewer: context.actor.id,
  });

/** Presents the rows of `selectReviewComments`, by comment id. */
export async function presentReviewComments(
  { rows, reactions }: RowsOf<ReturnType<typeof selectReviewComments>>,
  format: ContentFormat,
  context: BranchContext,
): Promise<Map<string, Comment>> {
  const reacted = readReactions(reactions);
  const records = rows.map((row) => addReactions(row, reacted));
  const comments = await presentComments(records, format, context);
  return new Map(comments.map((comment) => [comment.id, comment]));
}

/** Reads the comments of reviews, by comment id. Runs no query if there are no comments. */
export async function readReviewComments(reviews: ReviewRecord[], format: ContentFormat, context: BranchContext) {
  const commented = reviews.filter(({ comment }) => comment !== null).map(({ id }) => id);
  if (commented.length === 0) return new Map<string, Comment>();
  return presentReviewComments(await runBatch(context.db, selectReviewComments(commented, context)), format, context);
}

export function presentReview(
  review: ReviewRecord,
  comments: ReadonlyMap<string, Comment>,
  context: BranchContext,
): Review {
  const { id, asker } = review;
  const path = `/spaces/${review.space}/change-requests/${review.changeRequest}/reviews/${id}`;
  const comment = comments.get(review.comment ?? '');
  return {
    object: 'change-request-review',
    id,
    revision: review.revision,
    reviewer: presentPerson(review.reviewer, context),
    ...(asker === null ? {} : { requestedBy: presentPerson(asker, context) }),
    status: review.status,
    outdated: review.outdated,
    ...(comment === undefined ? {} : { comment }),
    createdAt: formatTimestamp(review.createdAt),
    updatedAt: formatTimestamp(review.updatedAt),
    urls: { location: context.urls.location(path) },
  };
}
