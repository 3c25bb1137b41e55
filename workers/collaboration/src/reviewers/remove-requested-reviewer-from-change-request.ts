import { commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

/** The path takes the id of a user or of a team. */
export const removeRequestedReviewerFromChangeRequest: Handler<
  typeof collaboration.removeRequestedReviewerFromChangeRequest,
  CollaborationEnvironment
> = async ({ params: { userId: reviewer } }, { db, space, changeRequest, commit }) => {
  const request = sql`FROM requested_reviewers
    WHERE change_request = ${changeRequest.id} AND kind IN ('user', 'team') AND subject = ${reviewer} AND space = ${space.id}`;
  const isThere = { holds: sql`EXISTS (SELECT 1 ${request})`, otherwise: () => notFound('requested reviewer') };
  await commitChecked(db, [isThere], (guards) =>
    commit(
      [...guards, db.run(sql`DELETE ${request}`)],
      [
        {
          type: 'change_request.reviewer_removed',
          organization: space.organization,
          space: space.id,
          data: { changeRequest: changeRequest.id, reviewer },
        },
      ],
    ),
  );
};
