import { changeRequests, commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

const merged = () => conflict('The change request is merged and cannot be changed.');

export const updateChangeRequestById: Handler<
  typeof collaboration.updateChangeRequestById,
  CollaborationEnvironment
> = async ({ body }, { db, space, changeRequest: record, commit, urls }) => {
  if (record.status === 'merged') throw merged();
  // Only what was given is written, so that two callers who change different fields both have their way.
  const updatedAt = Math.max(Date.now(), record.updatedAt);
  const given = { ...body, updatedAt: sql`MAX(updated_at, ${updatedAt})` };
  const isUnmerged = {
    holds: sql`EXISTS (SELECT 1 FROM change_requests WHERE id = ${record.id} AND status <> 'merged')`,
    otherwise: merged,
  };
  await commitChecked(db, [isUnmerged], (guards) =>
    commit(
      [...guards, db.update(changeRequests).set(given).where(eq(changeRequests.id, record.id))],
      [
        {
          type: 'change_request.updated',
          organization: space.organization,
          space: space.id,
          data: { changeRequest: record.id },
        },
      ],
    ),
  );
  const { subject = record.subject, description = record.description, status = record.status } = body;
  return presentChangeRequest({ ...record, subject, description, status, updatedAt }, urls);
};
