import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { scopeOf } from './match-expression.ts';

/** How many spaces an expression names. */
const maxNamed = 500;

/**
 * The CTEs `visible(id)` and `narrowed(expression)` for a search of an organization; `isVisible` is a condition on `spaces s`.
 * What the member may not see must not take the place of what may be seen: where the first sections, `probed`, have any
 * of it, the index is asked for the visible spaces alone, or for all without the hidden, whichever are fewer.
 */
export function narrowedCtes(organization: string, isVisible: SQL): SQL {
  const inAll = scopeOf(organization);
  const named = (
    condition: string,
  ) => sql`(SELECT 'scope : (' || group_concat('"' || substr(id, instr(id, '_') + 1) || '"', ' OR ') || ')'
    FROM (SELECT id FROM judged WHERE ${sql.raw(condition)} ORDER BY id LIMIT ${maxNamed}))`;
  return sql`probed_spaces(id, seen) AS MATERIALIZED (
      SELECT s.id, ${isVisible} FROM (SELECT DISTINCT f.space FROM probed CROSS JOIN search_sections f ON f.id = probed.id) p
      CROSS JOIN spaces s ON s.id = p.space AND s.organization = ${organization}
    ), judged(id, seen) AS MATERIALIZED (
      SELECT s.id, ${isVisible} FROM spaces s
      WHERE s.organization = ${organization} AND EXISTS (SELECT 1 FROM probed_spaces WHERE NOT seen)
    ), visible(id) AS MATERIALIZED (
      SELECT id FROM probed_spaces WHERE seen UNION SELECT id FROM judged WHERE seen
    ), narrowed(expression) AS MATERIALIZED (SELECT COALESCE((SELECT CASE
      WHEN COUNT(*) = 0 OR SUM(seen) = 0 THEN ${inAll}
      WHEN COUNT(*) <= 2 * SUM(seen) THEN '(' || ${inAll} || ' NOT ' || ${named('NOT seen')} || ')'
      ELSE ${named('seen')} END FROM judged), ${inAll}))`;
}
