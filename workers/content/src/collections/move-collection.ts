import type { Database, Row, Statement } from '@octavo/db';
import { collectionOfActor, collections, must, optionalText, retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { arriveOnce, levelsOfCollection } from '../siblings/arrival.ts';
import { findPlace } from '../siblings/find-place.ts';
import { presentChanged } from './present-changed.ts';

export const moveCollection: Handler<typeof content.moveCollection, ContentEnvironment> = async (
  { body },
  { db, collection, actor, commit, urls },
) => {
  const { id, organization } = collection;
  const levels = levelsOfCollection(organization, id);
  const rows = await retryOnConflict(async () => {
    const { parent, guards } =
      body.parent === undefined ? await whereItIs(db, id) : { parent: body.parent, guards: [] };
    const place = { organization, parent, moving: id };
    return arriveOnce(db, { ...place, levels }, async (guard) => {
      const { position, statements } = await findPlace(db, place, { ...body.position, actor });
      const before = [guard, ...guards, ...statements];
      const results = await commit(
        [
          ...before,
          db.update(collections).set({ parent, position }).where(eq(collections.id, id)),
          db.all(collectionOfActor(id, actor)),
        ],
        [{ type: 'collection.moved', organization, data: { collection: id } }],
      );
      return results[before.length + 1];
    });
  });
  return presentChanged(rows, urls);
};

/** The parent that the collection has now, and the guard that it keeps it: its siblings are looked up there. */
async function whereItIs(db: Database, id: string): Promise<{ parent: string | null; guards: Statement[] }> {
  const [row] = await db.all<Row>(sql`SELECT parent FROM collections WHERE id = ${id} AND deleted_at IS NULL`);
  if (row === undefined) throw notFound('collection');
  const parent = optionalText(row, 'parent');
  return {
    parent,
    guards: [must(db, sql`EXISTS (SELECT 1 FROM collections WHERE id = ${id} AND parent IS ${parent})`)],
  };
}
