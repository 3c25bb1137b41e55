import { commitChecked, trashSpace } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';

/** Everything of the space stays as it is; only the mark on its row takes it out of sight. */
export const deleteSpaceById: Handler<typeof content.deleteSpaceById, ContentEnvironment> = async (
  _,
  { db, space: { id, organization }, commit },
) => {
  const isLive = {
    holds: sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
    otherwise: () => notFound('space'),
  };
  await commitChecked(db, [isLive], (guards) =>
    commit(
      [...guards, ...trashSpace(db, id, Date.now())],
      [{ type: 'space.deleted', organization, space: id, data: {} }],
    ),
  );
};
