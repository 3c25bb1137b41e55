import type { Query, RecordOf } from '@octavo/db';
import { given, jsonChunks, selection } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, nodeRow, seen, stateAt } from '../nodes/find-nodes.ts';
import { toNode } from '../nodes/stored-node.ts';
import type { Lookup } from './lookup.ts';
import { firstOf, lookupKey } from './lookup.ts';

const foundRow = selection({ ...nodeRow.fields, lookup: given(String) });
type FoundRow = RecordOf<typeof foundRow>;

/** The live nodes that lookups find, by their keys. Rows read follow the lookups. */
export type Targets = ReadonlyMap<string, Node>;

/** The statements that look targets up at a lineage; `readTargets` reads their rows. */
export function targetReads(lineage: SQL | string, lookups: Lookup[]): Query<FoundRow>[] {
  const distinct = [...new Map(lookups.map((lookup) => [lookupKey(lookup), lookup])).entries()].map(
    ([key, lookup]) => ({ key, ...lookup }),
  );
  return (['id', 'git', 'slug'] as const).flatMap((by) =>
    jsonChunks(distinct.filter((each) => each.by === by)).map((json) => foundRow.query(queries[by](lineage, json))),
  );
}

export function readTargets(rows: FoundRow[]): Targets {
  const found = Map.groupBy(
    rows.flatMap((row) => {
      const node = toNode(row);
      return node === undefined ? [] : [{ key: row.lookup, node }];
    }),
    ({ key }) => key,
  );
  const targets = new Map<string, Node>();
  for (const [key, entries] of found) {
    const node = firstOf(entries.map((entry) => entry.node));
    if (node !== undefined) targets.set(key, node);
  }
  return targets;
}

const queries = {
  id: (lineage: SQL | string, json: string) => sql`
    WITH ${lineageCte(lineage)}, wanted(key, kind, id) AS MATERIALIZED (
      SELECT value->>'key', value->>'kind', value->>'id' FROM json_each(${json}))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}, MIN(l.depth) AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
    GROUP BY w.key`,
  git: (lineage: SQL | string, json: string) => sql`
    WITH ${lineageCte(lineage)}, wanted(key, path) AS MATERIALIZED (
      SELECT value->>'key', value->>'path' FROM json_each(${json})), kinds(kind) AS MATERIALIZED (VALUES ('page'), ('file'), ('reusable-content'))
    SELECT ${foundRow.with({ lookup: sql`w.key` })}
    FROM wanted w CROSS JOIN lineage l CROSS JOIN kinds k CROSS JOIN versions v INDEXED BY versions_sources
      ON v.branch = l.branch AND v.kind = k.kind AND v.data->>'$.fields.gitPath' = w.path
      AND v.data->>'$.fields.gitPath' IS NOT NULL AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${seen}`,
  slug: (lineage: SQL | string, json: string) => sql`
    WITH RECURSIVE ${lineageCte(lineage)}, climb(key, id, up, slugs) AS (
      SELECT value->>'key', value->>'from', value->>'up', value->'slugs' FROM json_each(${json})
      UNION ALL
      SELECT key, (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`climb.id`)}
        ORDER BY l.depth LIMIT 1), up - 1, slugs
      FROM climb WHERE up > 0 AND id <> ''
    ), walk(key, id, level, slugs) AS (
      SELECT key, id, 0, slugs FROM climb WHERE up = 0 AND id IS NOT NULL
      UNION ALL
      SELECT walk.key, v.id, level + 1, slugs FROM walk CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
        AND v.slug = json_extract(slugs, '$[' || level || ']') AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND ${seen} AND level < json_array_length(slugs)
    ), ends(key, id) AS MATERIALIZED (
      SELECT key, CASE WHEN id <> '' THEN id ELSE (
        SELECT v.id FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'page' AND v.parent = ''
          AND v.until > l.seq AND v.since <= l.seq
        WHERE v.deleted = 0 AND ${seen} ORDER BY v.position, v.id LIMIT 1) END
      FROM walk WHERE level = json_array_length(slugs)
    )
    SELECT ${foundRow.with({ lookup: sql`e.key` })}, MIN(l.depth) AS depth
    FROM ends e CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`e.id`)}
    GROUP BY e.key`,
};
