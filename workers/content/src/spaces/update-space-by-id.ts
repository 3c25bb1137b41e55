import { spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { presentSpace } from './present-space.ts';

export const updateSpaceById: Handler<typeof content.updateSpaceById, ContentEnvironment> = async (
  { body },
  { db, space, role, commit, urls },
) => {
  const changed = {
    title: body.title ?? space.title,
    emoji: body.emoji === undefined ? space.emoji : (body.emoji ?? ''),
    editMode: body.editMode ?? space.editMode,
    defaultLevel: body.defaultLevel === undefined ? space.defaultLevel : body.defaultLevel,
    updatedAt: Date.now(),
  };
  await commit(
    [db.update(spaces).set(changed).where(eq(spaces.id, space.id))],
    [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
  );
  return presentSpace({ ...space, ...changed }, role, urls);
};
