import type { Connection } from '@octavo/db';
import { abortUnless, commit, mayAccessSpace, mergeStamp, retryOnConflict } from '@octavo/db';
import { nodeKey, sameDecisions, sameNode } from '@octavo/merge';
import type { Background } from '@octavo/runtime';
import { runMetered, sendEvents } from '@octavo/runtime';
import type { ChangeRequestMove, Merge, MergeResult, Metered, RevisionId, UpdateResult } from '@octavo/schema';
import { conflict, undecidedConflicts } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { writeDocuments } from '../store/documents.ts';
import type { NodeWrite } from '../store/revisions.ts';
import { advanceLineage, requireHead, writeRevision } from '../store/revisions.ts';
import type { Merged, MergeSides, Touched } from './load-merge.ts';
import { loadMerge, mergeSides, undecidedIn } from './load-merge.ts';

/**
 * Merges a change request into main as one revision, or changes nothing and lists the conflicts. Null where the decision
 * to merge it holds no longer.
 */
export const mergeIntoHead = (
  env: ContentEnvironment,
  background: Background,
  move: Merge,
): Promise<Metered<MergeResult | null>> =>
  runMetered(env, (connection) =>
    retryOnConflict(async () => {
      const sides = await loadMerge(connection, move, stillDecided(move));
      if (sides.merged !== null) return { revision: sides.merged, result: 'merge' };
      requireHead(sides.branch.revision, move.expected);
      if (!sides.decided) return null;
      if (sides.status === 'archived') throw conflict('The change request is archived. Open it first.');
      const merged = await mergeSides(connection, sides);
      if (merged.conflicts.length > 0) {
        refuseUndecided(sides, merged);
        return { revision: sides.branch.revision, result: 'conflicts', conflicts: merged.conflicts };
      }
      const { revision, waiting } = await writeMerge(connection, move, { sides, merged });
      sendEvents(env, background, waiting);
      return { revision, result: 'merge' };
    }),
  );

/** What an update has left to be decided is in conflict until somebody decides it. @throws ApiError conflict */
function refuseUndecided({ touched }: MergeSides, { conflicts }: Merged): void {
  const open = new Map(touched.map(({ key, undecided = {} }) => [nodeKey(key), undecided]));
  const undecided = conflicts.filter((each) => Object.hasOwn(open.get(nodeKey(each)) ?? {}, each.field));
  if (undecided.length > 0) throw undecidedConflicts(undecided);
}

async function writeMerge({ db }: Connection, move: Merge, { sides, merged }: { sides: MergeSides; merged: Merged }) {
  const { space, changeRequest } = move;
  const seq = sides.main.seq + 1;
  const now = Date.now();
  const writes = sides.touched.flatMap(({ key }) => {
    const { before, node } = merged.nodes.get(nodeKey(key)) ?? { before: undefined, node: undefined };
    return sameNode(before, node) ? [] : [{ key, node: node && { ...node, updatedAt: now } }];
  });
  const revision = writeRevision(db, {
    space,
    organization: sides.organization,
    branch: space,
    seq,
    type: 'merge',
    parents: [sides.main.revision, sides.branch.revision],
    lineage: advanceLineage(sides.main.lineage, space, seq),
    author: move.actor,
    summary: sides.subject,
    changeRequest,
    writes,
  });
  const unmoved = abortUnless(
    db,
    sql`(SELECT COALESCE(MAX(seq), 0) FROM revisions WHERE branch = ${changeRequest}) = ${sides.branch.seq}
      AND EXISTS (SELECT 1 FROM change_requests WHERE id = ${changeRequest} AND status IN ('draft', 'open'))
      AND EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND deleted_at IS NULL)
      AND ${stillDecided(move)}`,
  );
  const { waiting } = await commit(
    db,
    move,
    [unmoved, ...writeDocuments(db, merged.texts), ...revision.statements],
    [
      ...revision.events,
      {
        type: 'change_request.merged',
        organization: sides.organization,
        space,
        data: { changeRequest, revision: revision.id },
      },
    ],
  );
  return { revision: revision.id, waiting };
}

/** Whether what the decision to merge was made on is still as it was. */
function stillDecided({ decision, ...merging }: Merge): SQL {
  const { stamp, mainSeq, reviewers = [] } = decision;
  const conditions = [sql`${mergeStamp(merging)} IS ${stamp}`];
  if (mainSeq !== undefined)
    conditions.push(sql`(SELECT MAX(seq) FROM revisions WHERE branch = ${merging.space}) = ${mainSeq}`);
  if (reviewers.length > 0)
    conditions.push(sql`NOT EXISTS (SELECT 1 FROM spaces s CROSS JOIN json_each(${JSON.stringify(reviewers)}) w
      WHERE s.id = ${merging.space} AND NOT ${mayAccessSpace(sql`w.value`)})`);
  return sql`(${sql.join(conditions, sql` AND `)})`;
}

/**
 * Pulls main into a change request: its base becomes main's head. A conflicting document gets conflict markers, one
 * that would be too large with both sides stays as it is. Any other clash keeps the change request's value. All of them
 * are listed, and are kept with the branch as undecided: until somebody decides, they keep the base that they had.
 */
export const pullFromHead = (
  env: ContentEnvironment,
  background: Background,
  move: ChangeRequestMove,
): Promise<Metered<UpdateResult>> =>
  runMetered(env, (connection) =>
    retryOnConflict(async () => {
      const sides = await loadMerge(connection, move);
      if (sides.status === 'merged' || sides.status === 'archived') {
        throw conflict(`The change request is ${sides.status} and cannot be updated.`);
      }
      requireHead(sides.branch.revision, move.expected);
      const isCurrent = sides.baseSeq === sides.main.seq && !sides.touched.some(isDecidedOnFormer);
      if (isCurrent && sides.touched.every(({ undecided }) => undecided === undefined)) {
        return { revision: sides.branch.revision, result: 'update' };
      }
      const merged = await mergeSides(connection, sides);
      const { conflicts } = merged;
      const told = (revision: RevisionId): UpdateResult =>
        conflicts.length === 0 ? { revision, result: 'update' } : { revision, result: 'conflicts', conflicts };
      if (isCurrent) return told(sides.branch.revision);
      const { revision, waiting } = await writePull(connection, move, { sides, merged });
      sendEvents(env, background, waiting);
      return told(revision);
    }),
  );

/** Whether a text was decided on one that was live before the branch's base: what came since has to be merged yet. */
const isDecidedOnFormer = ({ base, incoming }: Touched): boolean =>
  incoming?.documentBase !== undefined && incoming.documentBase !== (base?.document ?? null);

async function writePull(
  { db }: Connection,
  move: ChangeRequestMove,
  { sides, merged }: { sides: MergeSides; merged: Merged },
) {
  const { space, changeRequest } = move;
  const seq = sides.branch.seq + 1;
  const now = Date.now();
  const writes = sides.touched.flatMap((touched): NodeWrite[] => {
    const { key, incoming, undecided: before } = touched;
    const undecided = undecidedIn(merged, touched, sides.branch.revision);
    const node = merged.nodes.get(nodeKey(key))?.node;
    const known = { undecided: before, documentBase: incoming?.documentBase };
    if (sameNode(incoming, node) && sameDecisions(known, { undecided })) return [];
    return [{ key, node: node && { ...node, undecided, updatedAt: now }, undecided }];
  });
  const revision = writeRevision(db, {
    space,
    organization: sides.organization,
    branch: changeRequest,
    seq,
    type: 'update',
    parents: [sides.branch.revision, sides.main.revision],
    lineage: [[changeRequest, seq], ...sides.main.lineage],
    author: move.actor,
    writes,
  });
  const stillOpen = abortUnless(
    db,
    sql`EXISTS (SELECT 1 FROM change_requests WHERE id = ${changeRequest} AND status IN ('draft', 'open'))
      AND EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND deleted_at IS NULL)`,
  );
  const statements = [stillOpen, ...writeDocuments(db, merged.texts), ...revision.statements];
  const { waiting } = await commit(db, move, statements, [
    ...revision.events,
    { type: 'change_request.updated', organization: sides.organization, space, data: { changeRequest } },
  ]);
  return { revision: revision.id, waiting };
}
