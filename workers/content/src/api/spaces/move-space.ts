import { spaceOfActor, spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import { levelsOfSpace } from '../../engine/placing/arrival.ts';
import { move } from '../../engine/placing/move.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { presentChanged } from './present-changed.ts';

export const moveSpace: Handler<typeof content.moveSpace, ContentEnvironment> = async (
  { body },
  { db, space, role, actor, commit, urls },
) => {
  const { id, organization } = space;
  const rows = await move(
    db,
    { table: 'spaces', id, organization, role, levels: levelsOfSpace(organization, id) },
    {
      to: body,
      actor,
      async write(guards, place) {
        const write = db.update(spaces).set(place).where(eq(spaces.id, id));
        const { changed } = await commit({ guards, write, changed: spaceOfActor(id, actor) }, [
          { type: 'space.moved', organization, space: id, data: {} },
        ]);
        return changed;
      },
    },
  );
  return presentChanged(rows, urls);
};
