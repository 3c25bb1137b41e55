import type { Database, RecordOf } from '@octavo/db';
import { changeRequests, given, onlyRow, pointFields, revisions, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration, RevisionId, SpaceId } from '@octavo/schema';
import { invalid, newId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

const insertedRow = selection({ number: given(changeRequests.number) });

/** Change requests that begin from change requests that do so again: what is read through all of them stays bounded. */
const deepest = 12;
const startRow = selection(pointFields(aliasedTable(revisions, 'r')));

/** Stands on the revision that is asked for, else on main's head; it has no revision of its own before its first edit. */
export const createChangeRequest: Handler<typeof collaboration.createChangeRequest, CollaborationEnvironment> = async (
  { body },
  { space, actor, commit, db, urls },
) => {
  const id = newId('changeRequest');
  const now = Date.now();
  const { subject, description = '', revision } = body;
  const start = revision === undefined ? space.head : await findStart(db, { space: space.id, revision });
  const { inserted } = await commit(
    {
      inserted: insertedRow.query(sql`
        INSERT INTO change_requests (id, space, organization, number, subject, description, status, created_by, created_at, updated_at, revision_initial)
        VALUES (${id}, ${space.id}, (SELECT organization FROM spaces WHERE id = ${space.id}),
          (SELECT COALESCE(MAX(number), 0) + 1 FROM change_requests WHERE space = ${space.id}),
          ${subject}, ${description}, 'draft', ${actor.id}, ${now}, ${now}, ${start.id})
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
      revisionInitial: start.id,
      base: { id: start.id, seq: start.branch === space.id ? start.seq : 0 },
      merged: null,
      head: start,
      mainSeq: space.head.seq,
    },
    urls,
  );
};

/** @throws ApiError invalid */
async function findStart(
  db: Database,
  { space, revision }: { space: SpaceId; revision: RevisionId },
): Promise<RecordOf<typeof startRow>> {
  const { found } = await runBatch(db, {
    found: startRow.query(sql`SELECT ${startRow} FROM revisions r WHERE r.id = ${revision} AND r.space = ${space}`),
  });
  const [start] = found;
  if (start === undefined) throw invalid([{ path: 'body.revision', message: 'is no revision of this space' }]);
  if (start.lineage.length > deepest)
    throw invalid([{ path: 'body.revision', message: 'is of a change request that begins from too many others' }]);
  return start;
}
