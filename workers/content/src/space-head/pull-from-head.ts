import type { Connection } from '@octavo/db';
import { commit, must, retryOnConflict } from '@octavo/db';
import { nodeKey, sameNode } from '@octavo/document';
import type { Background } from '@octavo/runtime';
import { metered, sendEvents } from '@octavo/runtime';
import type { ChangeRequestMove, Metered, UpdateResult } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { writeDocuments } from '../nodes/documents.ts';
import type { MergeSides } from './load-merge.ts';
import { loadMerge } from './load-merge.ts';
import type { Merged } from './merge-sides.ts';
import { mergeSides } from './merge-sides.ts';
import { requireHead } from './require-head.ts';
import { writeRevision } from './write-revision.ts';

/**
 * Pulls main into a change request: its base becomes main's head. A conflicting document gets conflict markers, one
 * that would be too large with both sides stays as it is; both must be written anew before the merge. Any other clash
 * keeps the change request's value. All of them are listed.
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
      if (sides.baseSeq === sides.main.seq) return { revision: sides.branch.revision, result: 'update' };
      const merged = await mergeSides(connection, sides);
      const { revision, waiting } = await write(connection, move, { sides, merged });
      sendEvents(env, background, waiting);
      const { conflicts } = merged;
      return conflicts.length === 0 ? { revision, result: 'update' } : { revision, result: 'conflicts', conflicts };
    }),
  );

async function write(
  { db }: Connection,
  move: ChangeRequestMove,
  { sides, merged }: { sides: MergeSides; merged: Merged },
) {
  const { space, changeRequest } = move;
  const seq = sides.branch.seq + 1;
  const now = Date.now();
  const writes = sides.touched.flatMap(({ key, incoming }) => {
    const node = merged.nodes.get(nodeKey(key))?.node;
    return sameNode(incoming, node) ? [] : [{ key, node: node && { ...node, updatedAt: now } }];
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
