import { collections, positionAtStart } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { arrive, levelsOfNewCollection } from '../../engine/placing/arrival.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const createCollection: Handler<typeof content.createCollection, ContentEnvironment> = async (
  { body },
  { db, organization, membership, targets, actor, commit, urls },
) => {
  const { parent } = targets;
  const now = Date.now();
  const row = {
    id: newId('collection'),
    organization: organization.id,
    parent: parent?.id ?? null,
    title: body.title,
    description: null,
    defaultLevel: null,
    createdBy: actor.id,
    createdAt: now,
    position: positionAtStart(now),
  };
  await arrive(db, { ...row, levels: levelsOfNewCollection }, (guards) =>
    commit(
      [...guards, db.insert(collections).values(row)],
      [{ type: 'collection.created', organization: organization.id, data: { collection: row.id } }],
    ),
  );
  return presentCollection({ ...row, role: parent?.role ?? membership.role, onTheWay: false }, urls);
};
