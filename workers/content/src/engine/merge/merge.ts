import type { Connection } from '@octavo/db';
import { abortUnless, commit, mayAccessSpace, mergeStamp, notifyOfConflict, retryOnConflict } from '@octavo/db';
import { getNodeKey, hasSameDecisions, isSameNode } from '@octavo/merge';
import type { Background } from '@octavo/runtime';
import { requireHead, runMeteredWork, sendEvents } from '@octavo/runtime';
import type { ChangeRequestMove, Merge, MergeResult, Metered, RevisionId, UpdateResult } from '@octavo/schema';
import { conflict, undecidedConflicts } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { NodeWrite } from '../store/revisions.ts';
import { advanceLineage, findTextLengths, writeDocuments, writeRevision } from '../store/revisions.ts';
import type { MergeOutcome, MergeSides, TouchedNode } from './load-merge.ts';
import { findUndecided, loadMerge, mergeSides } from './load-merge.ts';

/**
 * Merges a change request into main as one revision, or changes nothing and returns the conflicts. Returns null if the
 * state on which the decision was based has changed.
 */
export const mergeIntoHead = (
  env: ContentEnvironment,
  background: Background,
  move: Merge,
): Promise<Metered<MergeResult | null>> =>
  runMeteredWork(env, (connection) =>
    retryOnConflict(async () => {
      const sides = await loadMerge(connection, move, isDecisionCurrent(move));
      if (sides.merged !== null) return { revision: sides.merged, result: 'merge' };
      requireHead(sides.branch.revision, move.expected);
      if (!sides.decided) return null;
      if (sides.status === 'archived') throw conflict('The change request is archived. Open it first.');
      const merged = await mergeSides(connection, sides);
      if (merged.conflicts.length > 0) {
        rejectUndecided(sides, merged);
        return { revision: sides.branch.revision, result: 'conflicts', conflicts: merged.conflicts };
      }
      const { revision, messages } = await writeMerge(connection, move, { sides, merged });
      sendEvents(env, background, messages);
      return { revision, result: 'merge' };
    }),
  );

/** Rejects the merge if the conflicts include ones that an update left unresolved. @throws ApiError conflict */
function rejectUndecided({ nodes }: MergeSides, { conflicts }: MergeOutcome): void {
  const open = new Map(nodes.map(({ key, undecided = {} }) => [getNodeKey(key), undecided]));
  const stillUndecided = conflicts.filter((each) => Object.hasOwn(open.get(getNodeKey(each)) ?? {}, each.field));
  if (stillUndecided.length > 0) throw undecidedConflicts(stillUndecided);
}

async function writeMerge(
  { db }: Connection,
  move: Merge,
  { sides, merged }: { sides: MergeSides; merged: MergeOutcome },
) {
  const { space, changeRequest } = move;
  const seq = sides.main.seq + 1;
  const now = Date.now();
  const writes = sides.nodes.flatMap(({ key }) => {
    const { before, node } = merged.nodes.get(getNodeKey(key)) ?? { before: undefined, node: undefined };
    return isSameNode(before, node) ? [] : [{ key, node: node && { ...node, updatedAt: now }, before }];
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
    texts: [...merged.texts, ...(await findTextLengths(db, writes))],
  });
  const unmoved = abortUnless(
    db,
    sql`(SELECT COALESCE(MAX(seq), 0) FROM revisions WHERE branch = ${changeRequest}) = ${sides.branch.seq}
      AND EXISTS (SELECT 1 FROM change_requests WHERE id = ${changeRequest} AND status IN ('draft', 'open'))
      AND EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND deleted_at IS NULL)
      AND ${isDecisionCurrent(move)}`,
  );
  const { messages } = await commit(
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
        texts: revision.textEdits,
      },
    ],
  );
  return { revision: revision.id, messages };
}

/** Returns the SQL condition that the state on which the decision to merge was based is unchanged. */
function isDecisionCurrent({ decision, ...merging }: Merge): SQL {
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
 * Updates a change request with main: its base becomes main's head. A conflicting document gets conflict markers,
 * unless it would become too large; any other conflict keeps the change request's value. All conflicts are returned and
 * stored with the branch as undecided. A conflict keeps its former base until it is resolved.
 */
export const pullFromHead = (
  env: ContentEnvironment,
  background: Background,
  move: ChangeRequestMove,
): Promise<Metered<UpdateResult>> =>
  runMeteredWork(env, (connection) =>
    retryOnConflict(async () => {
      const sides = await loadMerge(connection, move);
      if (sides.status === 'merged' || sides.status === 'archived') {
        throw conflict(`The change request is ${sides.status} and cannot be updated.`);
      }
      requireHead(sides.branch.revision, move.expected);
      const isCurrent = sides.baseSeq === sides.main.seq && !sides.nodes.some(isResolvedAgainstFormerText);
      if (isCurrent && sides.nodes.every(({ undecided }) => undecided === undefined)) {
        return { revision: sides.branch.revision, result: 'update' };
      }
      const merged = await mergeSides(connection, sides);
      const { conflicts } = merged;
      const toResult = (revision: RevisionId): UpdateResult =>
        conflicts.length === 0 ? { revision, result: 'update' } : { revision, result: 'conflicts', conflicts };
      if (isCurrent) return toResult(sides.branch.revision);
      const { revision, messages } = await writePull(connection, move, { sides, merged });
      sendEvents(env, background, messages);
      return toResult(revision);
    }),
  );

/**
 * Whether a conflict was resolved against a text that is older than the branch's base. In this case, later changes
 * still have to be merged.
 */
const isResolvedAgainstFormerText = ({ base, incoming }: TouchedNode): boolean =>
  incoming?.documentBase !== undefined && incoming.documentBase !== (base?.document ?? null);

async function writePull(
  { db }: Connection,
  move: ChangeRequestMove,
  { sides, merged }: { sides: MergeSides; merged: MergeOutcome },
) {
  const { space, changeRequest } = move;
  const seq = sides.branch.seq + 1;
  const now = Date.now();
  const writes = sides.nodes.flatMap((touchedNode): NodeWrite[] => {
    const { key, incoming, undecided: before } = touchedNode;
    const conflicts = findUndecided(merged, touchedNode, sides.branch.revision);
    const node = merged.nodes.get(getNodeKey(key))?.node;
    const formerState = { undecided: before, documentBase: incoming?.documentBase };
    if (isSameNode(incoming, node) && hasSameDecisions(formerState, { undecided: conflicts })) return [];
    return [{ key, node: node && { ...node, undecided: conflicts, updatedAt: now }, undecided: conflicts }];
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
  const notice = { organization: sides.organization, space, changeRequest };
  const statements = [
    ...[stillOpen, ...writeDocuments(db, merged.texts), ...revision.statements],
    ...(merged.conflicts.length === 0 ? [] : [notifyOfConflict(move, notice)]),
  ];
  const { messages } = await commit(db, move, statements, [
    ...revision.events,
    { type: 'change_request.updated', organization: sides.organization, space, data: { changeRequest } },
  ]);
  return { revision: revision.id, messages };
}
