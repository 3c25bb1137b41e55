import { spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { ApiError, newId } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { writeRevision } from '../space-head/write-revision.ts';
import { presentSpace } from './present-space.ts';

/** A new space has one empty revision, so that its head is always there to move. */
export const createSpace: Handler<typeof content.createSpace, ContentEnvironment> = async (
  { body },
  { db, organization, membership, caller, commit, urls },
) => {
  if (body.parent !== undefined)
    throw new ApiError('not_built', 'Spaces inside a collection are not built yet: leave parent out.');
  const now = Date.now();
  const id = newId('space');
  const row = {
    id,
    organization: organization.id,
    parent: null,
    title: body.title,
    emoji: body.emoji,
    editMode: body.editMode,
    visibility: 'private' as const,
    defaultLevel: null,
    createdBy: caller.actor,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  const lineage: [string, number][] = [[id, 1]];
  const revision = writeRevision(db, {
    space: id,
    organization: organization.id,
    branch: id,
    seq: 1,
    type: 'edits',
    parents: [],
    lineage,
    author: caller.actor,
    writes: [],
  });
  await commit(
    [db.insert(spaces).values(row), ...revision.statements],
    [{ type: 'space.created', organization: organization.id, space: id, data: {} }, ...revision.events],
  );
  const counters = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  const head = { id: revision.id, branch: id, seq: 1, lineage };
  return presentSpace({ ...row, ...counters, head }, membership.role, urls);
};
