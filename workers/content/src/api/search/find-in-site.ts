import type { Database } from '@octavo/db';
import {
  given,
  isActive,
  maybe,
  runBatch,
  searchConditions,
  selection,
  siteSections,
  siteSpaces,
  spaceRank,
  statement,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Claims, SiteId, SiteSearch, SiteSearchScope, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { isMet } from '../../engine/search/sections.ts';

/** How many site spaces are looked at, and how many conditions of what they show. */
const maxSiteSpaces = sql.raw('500');
const maxConditions = sql.raw('2000');

const [ss, sec, c] = [
  aliasedTable(siteSpaces, 'ss'),
  aliasedTable(siteSections, 'sec'),
  aliasedTable(searchConditions, 'c'),
];

const searchedRow = selection({
  id: ss.id,
  space: ss.space,
  section: ss.section,
  isDefault: ss.isDefault,
  condition: ss.condition,
  sectionCondition: maybe(sec.condition),
  title: given(String),
});
type Searched = ReturnType<typeof searchedRow.read>;

/** Of a member, or whoever previews, those that show a space that the user may see; a visitor sees what the site shows. */
const siteSpacesOf = statement((site: SQL<SiteId>, user: SQL<UserId | null>) => {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return searchedRow.query(sql`
    SELECT ${searchedRow.with({ title: sql`s.title` })} FROM site_spaces ss
    CROSS JOIN sites st ON st.id = ss.site
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    WHERE ss.site = ${site} AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0)
    ORDER BY ss.section, ss.position LIMIT ${maxSiteSpaces}`);
});

const conditionRow = selection({ condition: c.condition, token: c.token });

const conditionsOf = statement((site: SQL<SiteId>) =>
  conditionRow.query(sql`
    SELECT DISTINCT ${conditionRow} FROM site_spaces ss CROSS JOIN search_conditions c ON c.space = ss.space
    WHERE ss.site = ${site} LIMIT ${maxConditions}`),
);

export interface FoundInSite {
  /** The titles, by id, of the spaces to be searched. */
  titles: Map<string, string>;
  /** The conditions that the visitor meets; undefined where no conditions count. */
  met: string[] | undefined;
  /** What stands in the index for those that it does not. */
  unmet: string[];
}

/** Where a search of a site looks, and what it must not find. One round trip. */
export async function findInSite(db: Database, { site, claims, user, scope }: SiteSearch): Promise<FoundInSite> {
  const { searched, conditions } = await runBatch(db, {
    searched: siteSpacesOf(site, user),
    conditions: claims === null ? [] : conditionsOf(site),
  });
  const shown = searched.filter((each) => isShown(each, claims));
  const titles = new Map(shown.filter(inScope(scope)).map(({ space, title }) => [space, title]));
  if (claims === null) return { titles, met: undefined, unmet: [] };
  const { met = [], unmet = [] } = Object.groupBy(conditions, ({ condition }) =>
    isMet(condition, claims) ? 'met' : 'unmet',
  );
  return { titles, met: met.map(({ condition }) => condition), unmet: unmet.map(({ token }) => token) };
}

const isShown = ({ condition, sectionCondition }: Searched, claims: Claims | null): boolean =>
  claims === null || (isShownTo(condition, claims) && isShownTo(sectionCondition, claims));

/** Whether a site space is of a scope: those that are named, or all that are the default of their section, too. */
const inScope =
  (scope: SiteSearchScope) =>
  ({ id, isDefault }: Searched): boolean => {
    if (scope.mode === 'all') return true;
    if (scope.mode === 'specific') return scope.siteSpaceIds.includes(id);
    return isDefault || (scope.includedSiteSpaces?.includes(id) ?? false);
  };
