import type { Database, Row } from '@octavo/db';
import { spaceRank, text } from '@octavo/db';
import type { OrganizationSearch } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { foundCte } from './found-sql.ts';
import type { Expressions } from './match-expression.ts';
import { scopeOf } from './match-expression.ts';

/** How many spaces an expression names. */
const maxNamed = 500;

export interface VisibleScope {
  /** The part of an expression that finds what the member may see, and hidden sections only where they take no place. */
  scope: string;
  /** The titles, by id, of the visible spaces that it may find anything in. */
  visible: Map<string, string>;
}

/**
 * Which spaces a search of an organization looks in. What the member may not see must not take the place of what may be
 * seen: where the first sections have any of it, the index is asked for the visible spaces alone, or for all without the
 * hidden, whichever are fewer.
 */
export async function findVisibleScope(
  db: Database,
  { organization, actor, role }: OrganizationSearch,
  expressions: Expressions,
): Promise<VisibleScope> {
  const rank = spaceRank({ user: sql`${actor}`, role: sql`${role}`, active: sql`1` });
  const rows = await db.all<Row>(sql`
    WITH ${foundCte(scopeOf(organization), expressions)}, probed(id, title, seen) AS MATERIALIZED (
      SELECT s.id, s.title, s.deleted_at IS NULL AND ${rank} > 0
      FROM (SELECT DISTINCT f.space FROM found CROSS JOIN search_sections f ON f.id = found.id) p
      CROSS JOIN spaces s ON s.id = p.space AND s.organization = ${organization}
    )
    SELECT * FROM probed UNION SELECT s.id, s.title, s.deleted_at IS NULL AND ${rank} > 0 FROM spaces s
    WHERE s.organization = ${organization} AND EXISTS (SELECT 1 FROM probed WHERE NOT seen)`);
  const visible = new Map(rows.filter(({ seen }) => seen === 1).map((row) => [text(row, 'id'), text(row, 'title')]));
  const hidden = rows.filter(({ seen }) => seen !== 1).map((row) => text(row, 'id'));
  const all = scopeOf(organization);
  if (hidden.length === 0 || visible.size === 0) return { scope: all, visible };
  return {
    scope: hidden.length < visible.size ? `(${all} NOT ${anyOf(hidden)})` : anyOf([...visible.keys()]),
    visible,
  };
}

const anyOf = (spaces: string[]): string => `(${spaces.slice(0, maxNamed).map(scopeOf).join(' OR ')})`;
