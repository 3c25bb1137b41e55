import { collectionOfActor, collections, commitChecked, handOverCollections, positionAtStart } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { managesAll, stillThere } from './checks.ts';
import { collectionsInside } from './collections-inside.ts';
import { presentChanged } from './present-changed.ts';

/** All that hangs on the collection goes along, what is in the trash too. */
export const transferCollection: Handler<typeof content.transferCollection, ContentEnvironment> = async (
  { body: { organization } },
  { db, collection, actor, commit, urls },
) => {
  const { id, organization: from } = collection;
  if (organization === from) throw conflict('The collection is in this organization already.');
  const inside = collectionsInside(id);
  const position = positionAtStart(Date.now());
  const checks = [stillThere(collection), managesAll(collection, actor, { inside, which: sql`1` })];
  const handedOver = handOverCollections(db, inside, { from, to: organization });
  const { changed } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        handedOver: handedOver.statements,
        write: db.update(collections).set({ parent: null, position }).where(eq(collections.id, id)),
        changed: collectionOfActor(id, actor),
      },
      [
        ...handedOver.events,
        ...[from, organization].map((each) => ({
          type: 'collection.transferred' as const,
          organization: each,
          data: { collection: id, from },
        })),
        { type: 'index_computed', organization, data: {} },
      ],
    ),
  );
  return presentChanged(changed, urls);
};
