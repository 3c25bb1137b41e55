import { contains } from '@octavo/db';
import type { IntegrationFilters } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

type Filters = Partial<Omit<IntegrationFilters, 'page' | 'limit' | 'owner'>>;

/** What the filters look at, of `integrations i`. */
export const filteredColumns = sql`i.name, i.created_at, i.title, i.target, i.scopes, i.categories, i.block_domains,
  COALESCE(json_array_length(i.blocks), 0) > 0 AS has_blocks,
  COALESCE(json_array_length(i.content_sources), 0) > 0 AS has_content_sources`;

const holds = (list: SQL, value: string): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${list}) e WHERE e.value = ${value})`;

/** One of the domains is this one, or stands for those below one that this is below. */
const unfurls = (domain: string): SQL => sql`EXISTS (SELECT 1 FROM json_each(block_domains) e
  WHERE e.value = ${domain} OR (substr(e.value, 1, 2) = '*.' AND substr(${domain}, 1 - length(e.value)) = substr(e.value, 2)))`;

const conditions: { [Name in keyof Filters]-?: (value: Exclude<Filters[Name], undefined>) => SQL } = {
  search: (words) => contains([sql`name`, sql`title`], words),
  category: (category) => holds(sql`categories`, category),
  blockDomain: (domain) => unfurls(domain.toLowerCase()),
  blocks: (wanted) => sql`has_blocks = ${wanted ? 1 : 0}`,
  contentSources: (wanted) => sql`has_content_sources = ${wanted ? 1 : 0}`,
  scope: (scope) => holds(sql`scopes`, scope),
  target: (target) => sql`target = ${target}`,
};

/** What a list keeps of rows with `filteredColumns`; undefined where it keeps all. */
export function matchesOf(filters: Filters): SQL | undefined {
  const wanted = (Object.keys(conditions) as (keyof Filters)[]).flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [(conditions[name] as (value: unknown) => SQL)(value)];
  });
  return wanted.length === 0 ? undefined : sql.join(wanted, sql` AND `);
}
