import { spaceOfActor, spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { levelsOfSpace } from '../siblings/arrival.ts';
import { move } from '../siblings/move.ts';
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
        const { changed } = await commit({ guards, write, changed: db.all(spaceOfActor(id, actor)) }, [
          { type: 'space.moved', organization, space: id, data: {} },
        ]);
        return changed;
      },
    },
  );
  return presentChanged(rows, urls);
};
