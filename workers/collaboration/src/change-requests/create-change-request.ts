import { changeRequests, given, onlyRow, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

const insertedRow = selection({ number: given(changeRequests.number) });

/** Stands on the revision that authorization found at main's head; it has no revision of its own before its first edit. */
export const createChangeRequest: Handler<typeof collaboration.createChangeRequest, CollaborationEnvironment> = async (
  { body },
  { space, actor, commit, urls },
) => {
  const id = newId('changeRequest');
  const now = Date.now();
  const { head } = space;
  const { subject, description = '' } = body;
  const { inserted } = await commit(
    {
      inserted: insertedRow.query(sql`
        INSERT INTO change_requests (id, space, organization, number, subject, description, status, created_by, created_at, updated_at, revision_initial)
        VALUES (${id}, ${space.id}, (SELECT organization FROM spaces WHERE id = ${space.id}),
          (SELECT COALESCE(MAX(number), 0) + 1 FROM change_requests WHERE space = ${space.id}),
          ${subject}, ${description}, 'draft', ${actor.id}, ${now}, ${now}, ${head.id})
        RETURNING number`),
    },
    [
      {
        type: 'change_request.created',
        organization: space.organization,
        space: space.id,
        data: { changeRequest: id },
      },
    ],
  );
  return presentChangeRequest(
    {
      id,
      space: space.id,
      number: onlyRow(inserted).number,
      subject,
      description,
      status: 'draft',
      createdBy: actor,
      createdAt: now,
      updatedAt: now,
      comments: 0,
      revisionInitial: head.id,
      base: head,
      merged: null,
      head,
      mainSeq: head.seq,
    },
    urls,
  );
};
