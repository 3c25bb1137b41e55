import type { Database } from '@octavo/db';
import { given, maybe, readRows, selection, spaceRank, statement } from '@octavo/db';
import type { OrganizationId, OrganizationSearch, Role, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { hitsCtes, soughtIn } from './found-sql.ts';
import type { SearchExpressions } from './match-expression.ts';
import { anyOf, scopeOf } from './match-expression.ts';
import { rankedCte } from './pages-sql.ts';

export interface FoundInOrganization {
  /** What was found in visible spaces: each with its pages, as `rankedCte` gives them in JSON. */
  ranked: string;
  /** What is to be looked for in the visible spaces instead, where something hidden has taken places in `ranked`. */
  anew: string | undefined;
  /** The titles, by id, of the visible spaces that may have anything of what is found. */
  visible: Map<string, string>;
}

/** A space with what was found in it, if anything. */
const probedRow = selection({
  space: { id: given(String), title: given(String), seen: given(Boolean) },
  pages: maybe(given(String)),
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
  const rows = await readRows(db, probed(soughtIn(all, expressions), organization, actor, role));
  const [seen, hidden] = [true, false].map((wanted) => rows.filter(({ space }) => space.seen === wanted));
  const visible = new Map(seen?.map(({ space: { id, title } }) => [id, title]));
  const found = seen?.flatMap(({ space: { id }, pages }) => (pages === null ? [] : [`["${id}",${pages}]`]));
  const ranked = `[${found?.join()}]`;
  if (hidden === undefined || hidden.length === 0 || visible.size === 0) return { ranked, anew: undefined, visible };
  const scope =
    hidden.length < visible.size
      ? `(${all} NOT ${anyOf(hidden.map(({ space }) => space.id))})`
      : anyOf([...visible.keys()]);
  return { ranked, anew: soughtIn(scope, expressions), visible };
}

const probed = statement(
  (sought: SQL<string>, organization: SQL<OrganizationId>, user: SQL<UserId>, role: SQL<Role | null>) => {
    const rank = spaceRank({ user, role, active: sql`1` });
    const columns = probedRow.with({
      space: { id: sql`s.id`, title: sql`s.title`, seen: sql`s.deleted_at IS NULL AND COALESCE(${rank}, 0) > 0` },
    });
    return probedRow.query(sql`
      WITH ${hitsCtes(sought, sql`1`)}, ${rankedCte}, probed AS MATERIALIZED (
        SELECT ${columns}, r.pages FROM ranked r CROSS JOIN spaces s ON s.id = r.space AND s.organization = ${organization}
      )
      SELECT * FROM probed
      UNION ALL SELECT ${columns}, NULL FROM spaces s WHERE s.organization = ${organization}
        AND EXISTS (SELECT 1 FROM probed WHERE NOT space_seen) AND s.id NOT IN (SELECT space_id FROM probed)`);
  },
);
