import type { Database, RecordOf } from '@octavo/db';
import { given, maybe, readRows, selection, spaceRank } from '@octavo/db';
import type { OrganizationSearch } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { foundCte } from './found-sql.ts';
import type { SearchExpressions } from './match-expression.ts';
import { scopeOf } from './match-expression.ts';

/** How many spaces an expression names. */
const maxNamed = 500;

export interface FoundInOrganization {
  /** The CTE `found(id, class)`, as `foundCte` gives it. It may still have what is hidden. */
  found: SQL;
  /** The titles, by id, of the visible spaces that `found` may have anything of. */
  visible: Map<string, string>;
}

/** A space that something was found in, or in the last row what was found. */
const probedRow = selection({
  space: maybe({ id: given(String), title: given(String), seen: maybe(given(Boolean)) }),
  sections: maybe(given(String)),
});

/**
 * What a search of an organization ranks. What the member may not see must not take the place of what may be seen: where
 * the first sections have any of it, the index is asked anew for the visible spaces alone, or for all without the hidden,
 * whichever are fewer.
 */
export async function findInOrganization(
  db: Database,
  { organization, actor, role }: OrganizationSearch,
  expressions: SearchExpressions,
): Promise<FoundInOrganization> {
  const all = scopeOf(organization);
  const seen = sql`s.deleted_at IS NULL AND ${spaceRank({ user: sql`${actor}`, role: sql`${role}`, active: sql`1` })} > 0`;
  const probed = probedRow.query(sql`
    WITH ${foundCte(all, expressions)}, probed(id, title, seen) AS MATERIALIZED (
      SELECT s.id, s.title, ${seen}
      FROM (SELECT DISTINCT f.space FROM found CROSS JOIN search_sections f ON f.id = found.id) p
      CROSS JOIN spaces s ON s.id = p.space AND s.organization = ${organization}
    )
    SELECT id AS space_id, title AS space_title, seen AS space_seen, NULL AS sections FROM (SELECT * FROM probed UNION SELECT s.id, s.title, ${seen} FROM spaces s
      WHERE s.organization = ${organization} AND EXISTS (SELECT 1 FROM probed WHERE NOT seen))
    UNION ALL SELECT NULL, NULL, NULL, json_group_array(json_array(id, class)) FROM found`);
  const rows = await readRows(db, probed);
  const spaces = (wanted: boolean) => rows.flatMap(({ space }) => (space?.seen === wanted ? [space] : []));
  const visible = new Map(spaces(true).map(({ id, title }) => [id, title]));
  const hidden = spaces(false).map(({ id }) => id);
  if (hidden.length === 0 || visible.size === 0) return { found: known(rows), visible };
  const scope = hidden.length < visible.size ? `(${all} NOT ${anyOf(hidden)})` : anyOf([...visible.keys()]);
  return { found: foundCte(scope, expressions), visible };
}

function known(rows: RecordOf<typeof probedRow>[]): SQL {
  const sections = rows.find((row) => row.sections !== null)?.sections ?? '[]';
  return sql`found(id, class) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${sections}))`;
}

const anyOf = (spaces: string[]): string => `(${spaces.slice(0, maxNamed).map(scopeOf).join(' OR ')})`;
