import { commitChecked, trashSpacesIn } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { managesAll, stillThere } from './checks.ts';
import { liveCollectionsInside } from './collections-inside.ts';

/** The rows of deleted collections stay: the spaces in the trash keep the levels above them, and so their readers. */
export const deleteCollectionById: Handler<typeof content.deleteCollectionById, ContentEnvironment> = async (
  _,
  { db, collection, actor, commit },
) => {
  const { id, organization } = collection;
  const now = Date.now();
  const inside = liveCollectionsInside(id);
  const checks = [stillThere(collection), managesAll(collection, actor, { inside, which: sql`s.deleted_at IS NULL` })];
  await commitChecked(db, checks, (guards) =>
    commit(
      [
        ...guards,
        ...trashSpacesIn(db, { collections: inside, organization }, now),
        db.run(
          sql`UPDATE collections SET deleted_at = ${now} WHERE id IN (${inside}) AND +organization = ${organization}`,
        ),
      ],
      [{ type: 'collection.deleted', organization, data: { collection: id } }],
    ),
  );
};
