import { collectionOfActor, collections, commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import { levelChecks, withoutSameLevel } from '../../engine/placing/level-checks.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { stillThere } from './checks.ts';
import { presentChanged } from './present-changed.ts';

export const updateCollectionById: Handler<typeof content.updateCollectionById, ContentEnvironment> = async (
  { body },
  { db, collection, actor, commit, urls },
) => {
  const given = withoutSameLevel(body, collection);
  if (Object.keys(given).length === 0) return presentCollection(collection, urls);
  const { id, organization } = collection;
  const checks = [stillThere(collection), ...levelChecks(given.defaultLevel, { ...collection, table: 'collections' })];
  // Only what was given is written, so that two callers who change different fields both have their way.
  const { changed } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        write: db.update(collections).set(given).where(eq(collections.id, id)),
        changed: collectionOfActor(id, actor),
      },
      [{ type: 'collection.updated', organization, data: { collection: id } }],
    ),
  );
  return presentChanged(changed, urls);
};
