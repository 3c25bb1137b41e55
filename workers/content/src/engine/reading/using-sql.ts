import { given, selection, statement } from '@octavo/db';
import { maxIncludeDepth } from '@octavo/markdown';
import { maxPageDepth } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, stateAt } from '../nodes/find-nodes.ts';
import { hasPageConditions, hasTextConditions } from './conditions-sql.ts';
import { linkedRow } from './shown-content.ts';

/** So many pages and reusable contents that use one thing are looked through. */
export const maxUsers = 64;

export const conditionsRow = selection({ pages: given(Boolean), texts: given(Boolean) });

/** Whether anything of a space is shown under conditions: pages, and parts of texts. */
export const readSomeConditions = statement((lineage: SQL<string>) => {
  const columns = conditionsRow.with({ pages: hasPageConditions, texts: hasTextConditions });
  return conditionsRow.query(sql`WITH ${lineageCte(lineage)} SELECT ${columns}`);
});

export const userRow = selection({ ...linkedRow.fields, users: given(Number) });

/**
 * Where anything is shown under conditions: what uses a file or a reusable content, directly or by what is included, with
 * all pages above those and itself. `users` is how many there are, up to one more than are looked through.
 */
export const readUsers = statement((lineage: SQL<string>, id: SQL<string>) =>
  userRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, users(kind, id, level) AS (
      SELECT 'reusable-content', ${id}, 0 WHERE ${hasPageConditions} OR ${hasTextConditions}
      UNION
      SELECT v.kind, v.id, level + 1 FROM users u CROSS JOIN lineage l CROSS JOIN version_uses v
        ON v.branch = l.branch AND v.used = u.id AND v.until > l.seq AND v.since <= l.seq
      WHERE u.kind <> 'page' AND level <= ${sql.raw(String(maxIncludeDepth))}
      LIMIT ${sql.raw(String(maxUsers + 2))}
    ), counted(users) AS MATERIALIZED (SELECT COUNT(*) - 1 FROM users), up(id, level) AS (
      SELECT id, 0 FROM users WHERE kind = 'page'
      UNION
      SELECT (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`up.id`)} ORDER BY l.depth LIMIT 1), level + 1
      FROM up WHERE up.id <> '' AND level <= ${sql.raw(String(maxPageDepth))}
    ), wanted(kind, id) AS MATERIALIZED (
      SELECT 'page', id FROM up WHERE id <> '' UNION SELECT kind, id FROM users WHERE kind <> 'page'
    ), states AS MATERIALIZED (
      SELECT v.*, MIN(l.depth) AS depth FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
      GROUP BY v.kind, v.id HAVING v.deleted = 0)
    SELECT ${linkedRow}, users FROM states v CROSS JOIN counted`),
);
