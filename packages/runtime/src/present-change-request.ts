import type { ChangeRequestRecord } from '@octavo/db';
import type { ChangeRequest } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { presentUser } from './present-user.ts';
import type { Urls } from './urls.ts';

/** A change request as clients see it: what the branch says (base, head, outdated) is derived, never stored twice. */
export function presentChangeRequest(record: ChangeRequestRecord, urls: Urls): ChangeRequest {
  const path = `/spaces/${record.space}/change-requests/${record.id}`;
  const { merged } = record;
  return {
    object: 'change-request',
    id: record.id,
    space: record.space,
    number: record.number,
    status: record.status,
    subject: record.subject,
    ...(record.description === '' ? {} : { description: record.description }),
    createdBy: presentUser(record.createdBy, urls),
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    revision: record.head.id,
    revisionInitial: record.revisionInitial,
    ...(record.base.id === record.revisionInitial ? {} : { revisionMergedAncestor: record.base.id }),
    ...(merged === null
      ? {}
      : { revisionMerged: merged.revision, mergedBy: presentUser(merged.by, urls), mergedAt: timestamp(merged.at) }),
    comments: record.comments,
    outdated: merged === null && record.mainSeq > record.base.seq,
    urls: { app: urls.app(path), location: urls.location(path) },
  };
}
