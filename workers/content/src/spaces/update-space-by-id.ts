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
  // Only what was given is written, so that two callers who change different fields both have their way.
  const given = { ...body, emoji: body.emoji === null ? '' : body.emoji, updatedAt: Date.now() };
  await commit(
    [db.update(spaces).set(given).where(eq(spaces.id, space.id))],
    [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
  );
  const { title = space.title, emoji = space.emoji, editMode = space.editMode, updatedAt } = given;
  const { defaultLevel = space.defaultLevel } = given;
  return presentSpace({ ...space, title, emoji, editMode, defaultLevel, updatedAt }, role, urls);
};
