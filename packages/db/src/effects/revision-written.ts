import { isIdOf } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { changeRequests, contributors } from '../collaboration.ts';
import type { Database, Statement } from '../connect.ts';
import { revisions } from '../content.ts';

/**
 * Writes a revision, and with it what the change request knows: the one that it merges is merged, the one whose branch
 * moves on was edited, by its author unless main was only pulled into it.
 */
export function insertRevision(db: Database, row: typeof revisions.$inferSelect): Statement[] {
  const { space, branch, changeRequest } = row;
  const isOfChangeRequest = branch !== space && !isIdOf('import', branch);
  return [
    db.insert(revisions).values(row),
    ...(changeRequest === null ? [] : [markMerged(db, changeRequest, row.createdAt)]),
    ...(isOfChangeRequest ? moveOn(db, row) : []),
  ];
}

const markMerged = (db: Database, id: string, now: number): Statement =>
  db.update(changeRequests).set({ status: 'merged', updatedAt: now }).where(eq(changeRequests.id, id));

function moveOn(db: Database, row: typeof revisions.$inferSelect): Statement[] {
  const { space, branch, seq, type, author, createdAt } = row;
  const updatedAt = sql`MAX(${changeRequests.updatedAt}, ${createdAt})`;
  const isEdit = type !== 'update';
  const moved = db
    .update(changeRequests)
    .set({ updatedAt, ...(isEdit ? { editedSeq: seq } : {}) })
    .where(eq(changeRequests.id, branch));
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
