import type { Row, RowsOf } from '@octavo/db';
import { number, optionalText, readUser, runBatch, text, userColumns } from '@octavo/db';
import type { Comment, ContentFormat, Review, ReviewStatus } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { readComment, selectComments } from '../comments/comment-record.ts';
import { presentComments } from '../comments/present-comment.ts';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf } from '../discussion/branch.ts';
import { presentPerson, weightIn } from '../discussion/posted.ts';
import { readReactions } from '../discussion/reactions.ts';

/** A review is outdated once its reviewer reviewed again or was asked again, or the branch was edited after it. */
export const reviewColumns = sql`rv.id AS review_id, rv.space AS review_space, rv.change_request AS review_change_request,
  rv.revision AS review_revision, rv.status AS review_status, rv.created_at AS review_created_at,
  rv.updated_at AS review_updated_at, (rv.superseded_at IS NOT NULL OR cr.edited_seq > rv.seq) AS review_outdated,
  (SELECT id FROM comments WHERE review = rv.id) AS review_comment,
  ${userColumns('reviewer', 'reviewer')}, ${userColumns('asker', 'asker')}`;

/** `reviews rv`, with what `reviewColumns` reads. */
export const reviewJoins = sql`reviews rv CROSS JOIN change_requests cr ON cr.id = rv.change_request
  CROSS JOIN users reviewer ON reviewer.id = rv.reviewer LEFT JOIN users asker ON asker.id = rv.requested_by`;

/** Reads the comments of reviews. What does not fit one answer comes without its columns. */
export const selectReviewComments = (reviews: string[], context: BranchContext) =>
  selectComments(context.db, {
    found: sql`SELECT id, created_at, 1 AS matches, ${weightIn('markdown')} FROM comments
      WHERE review IN (SELECT value FROM json_each(${JSON.stringify(reviews)}))
        AND branch = ${branchOf(context)} AND space = ${context.space.id}`,
    order: 'desc',
    viewer: context.actor.id,
  });

/** Comments by their ids, from the rows of `selectReviewComments`. */
export async function presentReviewComments(
  { rows, reactions }: RowsOf<ReturnType<typeof selectReviewComments>>,
  format: ContentFormat,
  context: BranchContext,
): Promise<Map<string, Comment>> {
  const reacted = readReactions(reactions);
  const records = rows.filter(({ fits }) => fits === 1).map((row) => readComment(row, reacted));
  const comments = await presentComments(records, format, context);
  return new Map(comments.map((comment) => [comment.id, comment]));
}

/** The comments of rows of reviews by their ids; without any there is nothing to read. */
export async function commentsOf(rows: Row[], format: ContentFormat, context: BranchContext) {
  const commented = rows.filter((row) => optionalText(row, 'review_comment') !== null);
  if (commented.length === 0) return new Map<string, Comment>();
  const reviews = commented.map((row) => text(row, 'review_id'));
  return presentReviewComments(await runBatch(context.db, selectReviewComments(reviews, context)), format, context);
}

export function presentReview(row: Row, comments: ReadonlyMap<string, Comment>, context: BranchContext): Review {
  const id = text(row, 'review_id');
  const path = `/spaces/${text(row, 'review_space')}/change-requests/${text(row, 'review_change_request')}/reviews/${id}`;
  const asker = optionalText(row, 'asker_id') === null ? undefined : readUser(row, 'asker');
  const comment = comments.get(optionalText(row, 'review_comment') ?? '');
  return {
    object: 'change-request-review',
    id,
    revision: text(row, 'review_revision'),
    reviewer: presentPerson(readUser(row, 'reviewer'), context),
    ...(asker === undefined ? {} : { requestedBy: presentPerson(asker, context) }),
    status: text(row, 'review_status') as ReviewStatus,
    outdated: row.review_outdated === 1,
    ...(comment === undefined ? {} : { comment }),
    createdAt: timestamp(number(row, 'review_created_at')),
    updatedAt: timestamp(number(row, 'review_updated_at')),
    urls: { location: context.urls.location(path) },
  };
}
