import type { Row } from '@octavo/db';
import { number, optionalText, readUser, text, userColumns } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { Review, ReviewStatus } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** A review is outdated once its reviewer reviewed again or was asked again, or the branch was edited after it. */
export const reviewColumns = sql`rv.id AS review_id, rv.space AS review_space, rv.change_request AS review_change_request,
  rv.revision AS review_revision, rv.status AS review_status, rv.created_at AS review_created_at,
  rv.updated_at AS review_updated_at, (rv.superseded_at IS NOT NULL OR cr.edited_seq > rv.seq) AS review_outdated,
  ${userColumns('reviewer', 'reviewer')}, ${userColumns('asker', 'asker')}`;

/** `reviews rv`, with what `reviewColumns` reads. */
export const reviewJoins = sql`reviews rv CROSS JOIN change_requests cr ON cr.id = rv.change_request
  CROSS JOIN users reviewer ON reviewer.id = rv.reviewer LEFT JOIN users asker ON asker.id = rv.requested_by`;

export function presentReview(row: Row, urls: Urls): Review {
  const id = text(row, 'review_id');
  const path = `/spaces/${text(row, 'review_space')}/change-requests/${text(row, 'review_change_request')}/reviews/${id}`;
  return {
    object: 'change-request-review',
    id,
    revision: text(row, 'review_revision'),
    reviewer: presentUser(readUser(row, 'reviewer'), urls),
    ...(optionalText(row, 'asker_id') === null ? {} : { requestedBy: presentUser(readUser(row, 'asker'), urls) }),
    status: text(row, 'review_status') as ReviewStatus,
    outdated: row.review_outdated === 1,
    createdAt: timestamp(number(row, 'review_created_at')),
    updatedAt: timestamp(number(row, 'review_updated_at')),
    urls: { location: urls.location(path) },
  };
}
