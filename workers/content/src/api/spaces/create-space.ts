import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { arrive, levelsOfNewSpace } from '../../engine/placing/arrival.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { newSpace } from './new-space.ts';

export const createSpace: Handler<typeof content.createSpace, ContentEnvironment> = async (
  { body },
  { db, organization, membership, targets, caller, commit, urls },
) => {
  const { parent } = targets;
  const { row, head, statements, events } = newSpace(db, {
    id: newId('space'),
    organization: organization.id,
    parent: parent?.id ?? null,
    title: body.title,
    emoji: body.emoji,
    editMode: body.editMode,
    createdBy: caller.actor,
  });
  await arrive(db, { ...row, levels: levelsOfNewSpace }, (guards) => commit([...guards, ...statements], events));
  const counters = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  return presentSpace({ ...row, ...counters, publishedAt: null, head }, parent?.role ?? membership.role, urls);
};
