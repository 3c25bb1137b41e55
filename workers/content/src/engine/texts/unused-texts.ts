import { connect, fromQuery, hasQueries, rawQuery, readRows, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { toTextKey } from './text-store.ts';

/** The bucket deletes at most 1,000 objects in one call. */
const maxDeleted = 1000;

const unusedRow = selection({ object: fromQuery(String) });

/**
 * Deletes the objects of texts that no document refers to any more. First they are marked, so that a step that is still
 * storing one of them cannot make a document refer to it. A run that was interrupted is repeated.
 */
export async function deleteUnusedTexts(env: Pick<ContentEnvironment, 'DB' | 'FILES'>): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  let count = maxDeleted;
  while (count === maxDeleted && hasQueries(env, 2)) {
    const marked = await readRows(
      db,
      unusedRow.query(sql`UPDATE unused_texts SET deleting = 1 WHERE object IN (
        SELECT object FROM unused_texts WHERE delete_at < ${Date.now()} ORDER BY delete_at LIMIT ${sql.raw(String(maxDeleted))})
        RETURNING object`),
    );
    const objects = marked.map(({ object }) => object);
    if (objects.length > 0) {
      await env.FILES.delete(objects.map(toTextKey));
      await readRows(
        db,
        rawQuery(
          sql`DELETE FROM unused_texts WHERE object IN (SELECT value FROM json_each(${JSON.stringify(objects)}))`,
        ),
      );
    }
    count = objects.length;
  }
}
