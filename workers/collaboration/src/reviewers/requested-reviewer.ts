import type { RecordOf } from '@octavo/db';
import { maybe, requestedReviewers, selection, userFields, userRow, users } from '@octavo/db';
import type { RequestedReviewer } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { presentPerson } from '../discussion/posted.ts';

const q = aliasedTable(requestedReviewers, 'q');

export const requestRow = selection({
  kind: q.kind,
  subject: q.subject,
  revision: q.revision,
  createdAt: q.createdAt,
  asker: userFields(aliasedTable(users, 'asker')),
  user: maybe(userRow.fields),
});

/** `requested_reviewers q`, with what `requestRow` reads. */
export const requestJoins = sql`requested_reviewers q CROSS JOIN users asker ON asker.id = q.requested_by
  LEFT JOIN users u ON u.id = q.subject AND q.kind = 'user'`;

export function presentRequest(
  { revision, asker, createdAt, user, subject }: RecordOf<typeof requestRow>,
  context: BranchContext,
): RequestedReviewer {
  const request = {
    object: 'change-request-requested-reviewer' as const,
    revision,
    requestedBy: presentPerson(asker, context),
    createdAt: timestamp(createdAt),
  };
  return user === null
    ? { ...request, kind: 'team', team: { object: 'team', id: subject } }
    : { ...request, kind: 'user', user: presentPerson(user, context) };
}
