import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/**
 * A SELECT of the ids of a collection and of all collections nested in it that are not deleted. What is looked up by
 * them compares `+organization`, so that no index of the organization is read instead.
 */
export const liveCollectionsInside = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id} AND deleted_at IS NULL
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = inside.id AND c.deleted_at IS NULL
  )
  SELECT id FROM inside`;

/** The same with the deleted ones, which trashed spaces still hang on. */
export const collectionsInside = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id}
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent ON c.parent = inside.id
  )
  SELECT id FROM inside`;
