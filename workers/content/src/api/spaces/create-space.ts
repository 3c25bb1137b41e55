import { positionAtStart, spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { writeRevision } from '../../engine/nodes/write-revision.ts';
import { arrive, levelsOfNewSpace } from '../../engine/placing/arrival.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** A new space has one empty revision, so that its head is always there to move. */
export const createSpace: Handler<typeof content.createSpace, ContentEnvironment> = async (
  { body },
  { db, organization, membership, targets, caller, commit, urls },
) => {
  const { parent } = targets;
  const now = Date.now();
  const id = newId('space');
  const row = {
    id,
    organization: organization.id,
    parent: parent?.id ?? null,
    title: body.title,
    emoji: body.emoji,
    editMode: body.editMode,
    visibility: 'private' as const,
    defaultLevel: null,
    createdBy: caller.actor,
    createdAt: now,
    updatedAt: now,
    position: positionAtStart(now),
    deletedAt: null,
    mergeRules: null,
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
    createdAt: now,
    writes: [],
  });
  await arrive(db, { ...row, levels: levelsOfNewSpace }, (guards) =>
    commit(
      [...guards, db.insert(spaces).values(row), ...revision.statements],
      [{ type: 'space.created', organization: organization.id, space: id, data: {} }, ...revision.events],
    ),
  );
  const counters = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  const head = { id: revision.id, branch: id, seq: 1, lineage };
  return presentSpace({ ...row, ...counters, publishedAt: null, head }, parent?.role ?? membership.role, urls);
};
