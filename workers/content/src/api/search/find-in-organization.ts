import type { Database, Row } from '@octavo/db';
import { optionalText, spaceRank, text } from '@octavo/db';
import type { OrganizationSearch } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { foundCte } from './found-sql.ts';
import type { Expressions } from './match-expression.ts';
import { scopeOf } from './match-expression.ts';

/** How many spaces an expression names. */
const maxNamed = 500;

export interface FoundInOrganization {
  /** The CTE `found(id, class)`, as `foundCte` gives it. It may still have what is hidden. */
  found: SQL;
  /** The titles, by id, of the visible spaces that `found` may have anything of. */
  visible: Map<string, string>;
}

/**
 * What a search of an organization ranks. What the member may not see must not take the place of what may be seen: where
 * the first sections have any of it, the index is asked anew for the visible spaces alone, or for all without the hidden,
 * whichever are fewer.
 */
export async function findInOrganization(
  db: Database,
  { organization, actor, role }: OrganizationSearch,
  expressions: Expressions,
): Promise<FoundInOrganization> {
  const all = scopeOf(organization);
  const seen = sql`s.deleted_at IS NULL AND ${spaceRank({ user: sql`${actor}`, role: sql`${role}`, active: sql`1` })} > 0`;
  const rows = await db.all<Row>(sql`
    WITH ${foundCte(all, expressions)}, probed(id, title, seen) AS MATERIALIZED (
      SELECT s.id, s.title, ${seen}
      FROM (SELECT DISTINCT f.space FROM found CROSS JOIN search_sections f ON f.id = found.id) p
      CROSS JOIN spaces s ON s.id = p.space AND s.organization = ${organization}
    )
    SELECT *, NULL AS sections FROM (SELECT * FROM probed UNION SELECT s.id, s.title, ${seen} FROM spaces s
      WHERE s.organization = ${organization} AND EXISTS (SELECT 1 FROM probed WHERE NOT seen))
    UNION ALL SELECT NULL, NULL, NULL, json_group_array(json_array(id, class)) FROM found`);
  const spaces = (wanted: number) => rows.filter((row) => row.seen === wanted);
  const visible = new Map(spaces(1).map((row) => [text(row, 'id'), text(row, 'title')]));
  const hidden = spaces(0).map((row) => text(row, 'id'));
  if (hidden.length === 0 || visible.size === 0) return { found: known(rows), visible };
  const scope = hidden.length < visible.size ? `(${all} NOT ${anyOf(hidden)})` : anyOf([...visible.keys()]);
  return { found: foundCte(scope, expressions), visible };
}

function known(rows: Row[]): SQL {
  const sections = rows.map((row) => optionalText(row, 'sections')).find((each) => each !== null) ?? '[]';
  return sql`found(id, class) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${sections}))`;
}

const anyOf = (spaces: string[]): string => `(${spaces.slice(0, maxNamed).map(scopeOf).join(' OR ')})`;
