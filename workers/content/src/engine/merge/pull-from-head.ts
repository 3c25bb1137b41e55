import type { Connection } from '@octavo/db';
import { commit, must, retryOnConflict } from '@octavo/db';
import { nodeKey, sameDecisions, sameNode } from '@octavo/merge';
import type { Background } from '@octavo/runtime';
import { metered, sendEvents } from '@octavo/runtime';
import type { ChangeRequestMove, Metered, RevisionId, UpdateResult } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { writeDocuments } from '../store/documents.ts';
import type { NodeWrite } from '../store/revisions.ts';
import { requireHead, writeRevision } from '../store/revisions.ts';
import type { Merged, MergeSides, Touched } from './load-merge.ts';
import { loadMerge, mergeSides, undecidedIn } from './load-merge.ts';

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
  metered(env, (connection) =>
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
      const { revision, waiting } = await write(connection, move, { sides, merged });
      sendEvents(env, background, waiting);
      return told(revision);
    }),
  );

/** Whether a text was decided on one that was live before the branch's base: what came since has to be merged yet. */
const isDecidedOnFormer = ({ base, incoming }: Touched): boolean =>
  incoming?.documentBase !== undefined && incoming.documentBase !== (base?.document ?? null);

async function write(
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
  const stillOpen = must(
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
