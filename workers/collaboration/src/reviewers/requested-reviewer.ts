import type { Row } from '@octavo/db';
import { number, readUser, text, userColumns } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { RequestedReviewer } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';

export const requestColumns = sql`q.kind AS request_kind, q.subject AS request_subject, q.revision AS request_revision,
  q.created_at AS request_created_at, ${userColumns('asker', 'asker')}, ${userColumns('u')}`;

/** `requested_reviewers q`, with what `requestColumns` reads. */
export const requestJoins = sql`requested_reviewers q CROSS JOIN users asker ON asker.id = q.requested_by
  LEFT JOIN users u ON u.id = q.subject AND q.kind = 'user'`;

export function presentRequest(row: Row, urls: Urls): RequestedReviewer {
  const request = {
    object: 'change-request-requested-reviewer' as const,
    revision: text(row, 'request_revision'),
    requestedBy: presentUser(readUser(row, 'asker'), urls),
    createdAt: timestamp(number(row, 'request_created_at')),
  };
  return row.request_kind === 'user'
    ? { ...request, kind: 'user', user: presentUser(readUser(row), urls) }
    : { ...request, kind: 'team', team: { object: 'team', id: text(row, 'request_subject') } };
}
