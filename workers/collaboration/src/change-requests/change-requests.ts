import type { Database, Parameter } from '@octavo/db';
import {
  changeRequests,
  commitChecked,
  createConflict,
  createPointFields,
  fromQuery,
  getOnlyRow,
  notifyOfConflict,
  prepareQuery,
  readRow,
  retryOnConflict,
  revisions,
  selection,
} from '@octavo/db';
import { presentChangeRequest } from '@octavo/runtime';
import type { MergeResult, RevisionId, SpaceId } from '@octavo/schema';
import { conflict, createId, invalid } from '@octavo/schema';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { decideMerge, withoutRules } from '../merge-rules/decide-merge.ts';

const insertedRow = selection({ number: fromQuery(changeRequests.number) });

/** Maximum depth of change requests that start from other change requests: bounds the lineage that reads go through. */
const maxDepth = 12;
const r = aliasedTable(revisions, 'r');
const findStartPoint = prepareQuery(
  selection(createPointFields(r)),
  (select, revision: Parameter<RevisionId>, space: Parameter<SpaceId>) =>
    select.from(r).where(and(eq(r.id, revision), eq(r.space, space))),
);

/**
 * Creates a change request from the given revision, otherwise from the head of main. It has no revision of its own
 * before its first edit.
 */
export const createChangeRequest = handler(
  'createChangeRequest',
  async ({ body }, { space, actor, commit, db, urls }) => {
    const id = createId('changeRequest');
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
        number: getOnlyRow(inserted).number,
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
  },
);

/** @throws ApiError invalid */
async function findStart(db: Database, { space, revision }: { space: SpaceId; revision: RevisionId }) {
  const start = await readRow(db, findStartPoint(revision, space));
  if (start === undefined) throw invalid([{ path: 'body.revision', message: 'must be a revision of this space' }]);
  if (start.lineage.length > maxDepth)
    throw invalid([{ path: 'body.revision', message: 'belongs to a change request that is based on too many others' }]);
  return start;
}

/** Previews of a site show no e-mail addresses and no counts. */
export const getChangeRequestById = handler('getChangeRequestById', (_, { changeRequest, urls, visitor }) =>
  visitor === undefined
    ? presentChangeRequest(changeRequest, urls)
    : { ...presentChangeRequest(changeRequest, urls, { email: false }), comments: 0 },
);

const createMergedError = () => conflict('The change request is already merged and cannot be changed.');

export const updateChangeRequestById = handler(
  'updateChangeRequestById',
  async ({ body }, { db, space, changeRequest: record, commit, urls }) => {
    if (record.status === 'merged') throw createMergedError();
    // Writes only the given fields, so that concurrent changes of different fields both take effect.
    const updatedAt = Math.max(Date.now(), record.updatedAt);
    const changes = { ...body, updatedAt: sql`MAX(updated_at, ${updatedAt})` };
    const isUnmerged = {
      condition: sql`EXISTS (SELECT 1 FROM change_requests WHERE id = ${record.id} AND status <> 'merged')`,
      createError: createMergedError,
    };
    await commitChecked(db, [isUnmerged], (guards) =>
      commit(
        [...guards, db.update(changeRequests).set(changes).where(eq(changeRequests.id, record.id))],
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
  },
);

export const updateChangeRequest = handler(
  'updateChangeRequest',
  (_, { env, callWorker, space, changeRequest, caller, expected }) =>
    callWorker(() =>
      env.CONTENT.updateChangeRequest({ ...caller, space: space.id, changeRequest: changeRequest.id, expected }),
    ),
);

export const mergeChangeRequest = handler(
  'mergeChangeRequest',
  async (_, { env, db, callWorker, space, role, changeRequest, actor, caller, commit, expected, urls }) => {
    const { id, status } = changeRequest;
    if (status === 'merged' || status === 'archived')
      throw conflict(`The change request is ${status} and cannot be merged.`);
    // Most merges have no rules, so they are read only after the content worker reports that there are some.
    let mayHaveRules = space.mergeRules?.type === 'rules';
    return retryOnConflict(async (): Promise<MergeResult> => {
      const decision = mayHaveRules ? await decideMerge(db, { actor, role, space, changeRequest, urls }) : withoutRules;
      const merge = { ...caller, space: space.id, changeRequest: id, expected, decision };
      const result = await callWorker(() => env.CONTENT.mergeChangeRequest(merge));
      if (result?.result === 'conflicts') {
        const notice = { organization: space.organization, space: space.id, changeRequest: id };
        await commit([notifyOfConflict(caller, notice)], []);
      }
      if (result !== null) return result;
      mayHaveRules = true;
      throw createConflict('The change request changed during the merge. Merge it again.');
    });
  },
);
