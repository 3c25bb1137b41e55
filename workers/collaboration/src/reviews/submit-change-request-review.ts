import type { Row, Statement } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { Context, Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { undecided } from '../change-requests/undecided.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReview, reviewColumns, reviewJoins } from './review-record.ts';

type Submission = Context<typeof collaboration.submitChangeRequestReview, CollaborationEnvironment>;

/** The review takes the place of the reviewer's earlier ones, and serves the requests for one by name and by team. */
export const submitChangeRequestReview: Handler<
  typeof collaboration.submitChangeRequestReview,
  CollaborationEnvironment
> = async ({ body: { status } }, context) => {
  const { db, space, changeRequest, commit, urls } = context;
  const check = undecided(changeRequest, 'reviewed');
  const id = newId('review');
  const results = await commitChecked(db, [check], (guards) => {
    const asked = requestsOf(context);
    return commit(
      [
        ...guards,
        supersede(context),
        insertReview(context, { id, status, asked }),
        db.run(sql`DELETE FROM requested_reviewers WHERE ${asked}`),
        db.all(sql`SELECT ${reviewColumns} FROM ${reviewJoins} WHERE rv.id = ${id}`),
      ],
      [
        {
          type: 'change_request.reviewed',
          organization: space.organization,
          space: space.id,
          data: { changeRequest: changeRequest.id, review: id, status },
        },
      ],
    );
  });
  return presentReview((results[4] as Row[])[0] ?? {}, urls);
};

/** The requests that a review by the actor serves: by name, and of the actor's teams. */
const requestsOf = ({ space, changeRequest, actor }: Submission) => sql`change_request = ${changeRequest.id}
  AND organization = ${space.organization} AND (kind = 'user' AND subject = ${actor.id}
    OR kind = 'team' AND EXISTS (SELECT 1 FROM team_members tm
      WHERE tm.team = subject AND tm.user = ${actor.id} AND tm.organization = ${space.organization}))`;

const supersede = ({ db, changeRequest, actor }: Submission): Statement =>
  db.run(sql`UPDATE reviews SET superseded_at = ${Date.now()}
    WHERE change_request = ${changeRequest.id} AND reviewer = ${actor.id} AND superseded_at IS NULL`);

/** Of the revision that authorization found: an edit that comes in between outdates it at once. */
function insertReview(
  { db, space, changeRequest, actor }: Submission,
  { id, status, asked }: { id: string; status: string; asked: ReturnType<typeof sql> },
): Statement {
  const { head } = changeRequest;
  const now = Date.now();
  return db.run(sql`
    INSERT INTO reviews (id, space, change_request, revision, seq, reviewer, requested_by, status, created_at, updated_at)
    VALUES (${id}, ${space.id}, ${changeRequest.id}, ${head.id}, ${head.branch === changeRequest.id ? head.seq : 0}, ${actor.id},
      (SELECT requested_by FROM requested_reviewers WHERE ${asked} ORDER BY kind DESC, created_at LIMIT 1),
      ${status}, ${now}, ${now})`);
}
