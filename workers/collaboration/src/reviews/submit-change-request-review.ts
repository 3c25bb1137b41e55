import type { Check, Statement } from '@octavo/db';
import { comments, commitChecked, onlyRow } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Context, Handler, HandlerInput } from '@octavo/runtime';
import type { collaboration, NewEvent } from '@octavo/schema';
import { forbidden, newId, spacePermissions } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { undecided } from '../change-requests/undecided.ts';
import { bodyText } from '../comments/body.ts';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, mayMention } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReview, presentReviewComments, reviewJoins, reviewRow, selectReviewComments } from './review-record.ts';

type Operation = typeof collaboration.submitChangeRequestReview;
type Submission = Context<Operation, CollaborationEnvironment>;

/** The review takes the place of the reviewer's earlier ones, and serves the requests for one by name and by team. */
export const submitChangeRequestReview: Handler<
  typeof collaboration.submitChangeRequestReview,
  CollaborationEnvironment
> = async ({ body: { status, comment } }, context) => {
  const { db, changeRequest, commit } = context;
  const why = commentOf(comment);
  const asked = requestsOf(context);
  const checks = [
    ...branchExists(context),
    undecided(changeRequest, 'reviewed'),
    ...stillAsked(context, asked),
    ...mayMention(why?.mentions ?? [], context, 'body.comment'),
  ];
  const id = newId('review');
  const commented = newId('comment');
  const events: NewEvent[] = [
    {
      type: 'change_request.reviewed',
      ...placeOf(context),
      data: { changeRequest: changeRequest.id, review: id, status },
    },
  ];
  if (why !== undefined) {
    const data = { ...onComment(commented, context), mentions: why.mentions };
    events.push({ type: 'comment.created', ...placeOf(context), data });
  }
  const now = Date.now();
  const written = [
    supersede(context, now),
    insertReview(context, { id, status, asked, now }),
    db.run(sql`DELETE FROM requested_reviewers WHERE ${asked}`),
    ...(why === undefined ? [] : [insertComment(context, { id: commented, review: id, text: why.text, now })]),
  ];
  const review = reviewRow.query(sql`SELECT ${reviewRow} FROM ${reviewJoins} WHERE rv.id = ${id}`);
  const said = why === undefined ? { rows: [], reactions: [] } : selectReviewComments([id], context);
  const rows = await commitChecked(db, checks, (guards) => commit({ guards, written, review, said }, events));
  return presentReview(onlyRow(rows.review), await presentReviewComments(rows.said, 'markdown', context), context);
};

function commentOf(comment: HandlerInput<Operation>['body']['comment']) {
  if (comment === undefined || !('markdown' in comment || 'document' in comment)) return undefined;
  const text = bodyText(comment, 'body.comment');
  return { text, mentions: mentionsOf(text) };
}

const insertComment = (
  { db, space, changeRequest, actor }: Submission,
  { id, review, text, now }: { id: string; review: string; text: string; now: number },
): Statement =>
  db.insert(comments).values({
    ...{ id, space: space.id, branch: changeRequest.id, review, revision: changeRequest.head.id },
    ...{ author: actor.id, body: text, createdAt: now },
  });

/** The requests that a review by the actor serves: by name, and of the actor's teams. */
const requestsOf = ({ space, changeRequest, actor }: Submission) => sql`change_request = ${changeRequest.id}
  AND organization = ${space.organization} AND (kind = 'user' AND subject = ${actor.id}
    OR kind = 'team' AND EXISTS (SELECT 1 FROM team_members tm
      WHERE tm.team = subject AND tm.user = ${actor.id} AND tm.organization = ${space.organization}))`;

/** Who may review only because of a request needs it still: a review by the same caller may have served it. */
function stillAsked({ role, actor }: Submission, asked: SQL): Check[] {
  if (spacePermissions(role, false).review) return [];
  return [
    {
      holds: sql`EXISTS (SELECT 1 FROM requested_reviewers WHERE ${asked} AND requested_by <> ${actor.id})`,
      otherwise: () => forbidden('The caller was asked for one review, which is there.'),
    },
  ];
}

const supersede = ({ db, changeRequest, actor }: Submission, now: number): Statement =>
  db.run(sql`UPDATE reviews SET superseded_at = ${now}
    WHERE change_request = ${changeRequest.id} AND reviewer = ${actor.id} AND superseded_at IS NULL`);

/** Of the revision that authorization found: an edit that comes in between outdates it at once. */
function insertReview(
  { db, space, changeRequest, actor }: Submission,
  { id, status, asked, now }: { id: string; status: string; asked: SQL; now: number },
): Statement {
  const { head } = changeRequest;
  return db.run(sql`
    INSERT INTO reviews (id, space, change_request, revision, seq, reviewer, requested_by, status, created_at, updated_at)
    VALUES (${id}, ${space.id}, ${changeRequest.id}, ${head.id}, ${head.branch === changeRequest.id ? head.seq : 0}, ${actor.id},
      (SELECT requested_by FROM requested_reviewers WHERE ${asked} ORDER BY kind DESC, created_at LIMIT 1),
      ${status}, ${now}, ${now})`);
}
