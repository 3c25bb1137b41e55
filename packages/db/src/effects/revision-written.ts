import type { BranchId, ChangeRequestId, OrganizationId, SpaceId } from '@octavo/schema';
import { isIdOf } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { changeRequests, contributors } from '../collaboration.ts';
import type { Database, Statement } from '../connect.ts';
import { revisions } from '../content.ts';
import { headMoved } from './dependency-changed.ts';

/**
 * Writes a revision, and with it what the change request knows: the one that it merges is merged, the one whose branch
 * moves on was edited, by its author unless main was only pulled into it. What depends on the head of the space is made again.
 */
export function insertRevision(
  db: Database,
  organization: OrganizationId,
  row: typeof revisions.$inferSelect,
): Statement[] {
  const { space, branch, changeRequest } = row;
  return [
    db.insert(revisions).values(row),
    ...(branch === space ? [headMoved(db, space, organization)] : []),
    ...(changeRequest === null ? [] : [markMerged(db, changeRequest, row.createdAt)]),
    ...(isChangeRequest(branch, space) ? moveOn(db, branch, row) : []),
  ];
}

/** A branch is the space's own, an import's or a change request's. */
const isChangeRequest = (branch: BranchId, space: SpaceId): branch is ChangeRequestId =>
  branch !== space && !isIdOf('import', branch);

const markMerged = (db: Database, id: ChangeRequestId, now: number): Statement =>
  db.update(changeRequests).set({ status: 'merged', updatedAt: now }).where(eq(changeRequests.id, id));

function moveOn(db: Database, id: ChangeRequestId, row: typeof revisions.$inferSelect): Statement[] {
  const { space, branch, seq, type, author, createdAt } = row;
  const updatedAt = sql`MAX(${changeRequests.updatedAt}, ${createdAt})`;
  const isEdit = type !== 'update';
  const moved = db
    .update(changeRequests)
    .set({ updatedAt, ...(isEdit ? { editedSeq: seq } : {}) })
    .where(eq(changeRequests.id, id));
  if (!isEdit) return [moved];
  const contributed = db
    .insert(contributors)
    .values({ branch, action: 'edit', user: author, space, count: 1, updatedAt: createdAt })
    .onConflictDoUpdate({
      target: [contributors.branch, contributors.action, contributors.user],
      set: { count: sql`${contributors.count} + 1`, updatedAt: createdAt },
    });
  return [moved, contributed];
}
