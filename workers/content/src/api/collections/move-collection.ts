import { collectionOfActor, collections } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import { levelsOfCollection } from '../../engine/placing/arrival.ts';
import { move } from '../../engine/placing/move.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { presentChanged } from './present-changed.ts';

export const moveCollection: Handler<typeof content.moveCollection, ContentEnvironment> = async (
  { body },
  { db, collection, actor, commit, urls },
) => {
  const { id, organization } = collection;
  const levels = levelsOfCollection(organization, id);
  const rows = await move(
    db,
    { ...collection, table: 'collections', levels },
    {
      to: body,
      actor,
      async write(guards, place) {
        const write = db.update(collections).set(place).where(eq(collections.id, id));
        const { changed } = await commit({ guards, write, changed: collectionOfActor(id, actor) }, [
          { type: 'collection.moved', organization, data: { collection: id } },
        ]);
        return changed;
      },
    },
  );
  return presentChanged(rows, urls);
};
