import { foreverSeq, given, selection, versions } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, selectIds, stateAt } from '../engine/store/lineage.ts';

/** The seq of the first revision of a space: what it reads of others was there before any write of its own. */
const firstSeq = sql.raw('1');

/** What a space reads of other branches: the lineage of its first revision without its own branch. */
const foreignLineage = (space: SpaceId): SQL =>
  sql`(SELECT json_remove(lineage, '$[0]') FROM revisions WHERE branch = ${space} AND seq = ${firstSeq})`;

const nextRow = selection({ id: given(versions.id) });

/** The next ids of a kind on the other branches, in order: by seeks from id to id. */
export const findNextNodes = (space: SpaceId, after: { kind: string; id: string }, limit: number) =>
  nextRow.query(sql`
  WITH RECURSIVE ${lineageCte(foreignLineage(space))}, walk(step, id) AS (
    SELECT 0, ${after.id}
    UNION ALL
    SELECT step + 1, (SELECT MIN((SELECT MIN(v.id) FROM versions v WHERE v.branch = l.branch AND v.kind = ${after.kind} AND v.id > walk.id))
      FROM lineage l)
    FROM walk WHERE id IS NOT NULL AND step < ${limit}
  )
  SELECT id FROM walk WHERE step > 0 AND id IS NOT NULL`);

/** Writes the states of nodes that the space reads of others into its own branch, up to its own first state of each. */
export const copyNodes = (space: SpaceId, kind: string, ids: string[]): SQL => sql`
  INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
  WITH ${lineageCte(foreignLineage(space))}, wanted(id) AS MATERIALIZED (${selectIds(ids)})
  SELECT ${space}, p.kind, p.id, ${firstSeq}, COALESCE(
      (SELECT MIN(o.since) FROM versions o WHERE o.branch = ${space} AND o.kind = p.kind AND o.id = p.id), ${foreverSeq}),
    p.parent, p.position, p.slug, p.deleted, p.data, p.document
  FROM (SELECT v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.depth)
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`${kind}`, sql`w.id`)} GROUP BY v.id) p
  WHERE 1 ON CONFLICT (branch, kind, id, since) DO NOTHING`;
