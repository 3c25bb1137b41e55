import type { BranchId, Caller, NewEvent, OrganizationId, SiteId, SpaceId } from '@octavo/schema';
import { invalidatedSites } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';
import type { CausedEvent } from '../statements/caused-events.ts';
import { organizations } from '../tables/org-admin.ts';
import type { Effect } from './installations.ts';
import { createSiteUninstallEvents } from './installations.ts';

const siteTables = [
  'site_sections',
  'site_section_groups',
  'site_spaces',
  'site_external_links',
  'site_share_links',
  'site_redirects',
  'site_customizations',
  'site_adaptive_schemas',
  'site_places',
  'site_former_addresses',
  'site_installations',
  'page_feedback_counts',
];

/** The number of ratings that are deleted with a site. The others are deleted later, in chunks. */
const maxDeletedRatings = 1000;

/**
 * Deletes a site with its content. If it is the default site of its organization, the organization is left without one.
 */
export const deleteSite = (
  db: Database,
  { id, organization }: { id: SiteId; organization: OrganizationId },
): Effect => ({
  statements: [
    db.run(sql`DELETE FROM sites WHERE id = ${id} AND organization = ${organization}`),
    ...siteTables.map((table) => db.run(sql`DELETE FROM ${sql.raw(table)} WHERE site = ${id}`)),
    db.run(sql`DELETE FROM page_feedback
      WHERE id IN (SELECT id FROM page_feedback WHERE site = ${id} LIMIT ${maxDeletedRatings})`),
    db
      .update(organizations)
      .set({ defaultContent: null })
      .where(and(eq(organizations.id, organization), sql`default_content->>'site' = ${id}`)),
  ],
  events: [createSiteUninstallEvents(organization, id)],
});

/** A condition on `site_spaces` as a function of the table alias. */
type SiteSpaceCondition = (alias: SQL) => SQL;

/**
 * Reassigns the default of each level whose default site space is selected. The new default is the first other site
 * space whose space is not in the trash, otherwise one in the trash, otherwise a selected one.
 */
export function reassignDefaults(db: Database, condition: SiteSpaceCondition): Statement[] {
  const [x, y] = [sql.raw('x'), sql.raw('y')];
  const levels = sql`SELECT DISTINCT x.site, x.section FROM site_spaces x WHERE ${condition(x)}`;
  return [
    db.run(sql`UPDATE site_spaces SET is_default = 0
      WHERE is_default = 1 AND id IN (SELECT x.id FROM site_spaces x WHERE ${condition(x)})`),
    db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id IN (
      SELECT (SELECT y.id FROM site_spaces y LEFT JOIN spaces s ON s.id = y.space
        WHERE y.site = level.site AND y.section = level.section
        ORDER BY ${condition(y)}, s.id IS NULL OR s.deleted_at IS NOT NULL, y.position, y.id LIMIT 1)
      FROM (${levels}) level WHERE NOT EXISTS (
        SELECT 1 FROM site_spaces z WHERE z.site = level.site AND z.section = level.section AND z.is_default = 1))`),
  ];
}

/** Removes site spaces from their sites and reassigns the defaults of their levels. */
export const deleteSiteSpaces = (db: Database, condition: SiteSpaceCondition): Statement[] => [
  ...reassignDefaults(db, condition),
  db.run(sql`DELETE FROM site_spaces WHERE id IN (SELECT x.id FROM site_spaces x WHERE ${condition(sql.raw('x'))})`),
];

/** Site spaces that show a space. */
export const showsSpace =
  (space: SpaceId): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.space = ${space}`;

/** Site spaces that show one of the spaces of a SELECT. */
export const showsAnySpace =
  (spaces: SQL): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.space IN (${spaces})`;

/** Site spaces whose space is in the trash, if they are siblings of a site space that shows the given space. */
export const isTrashedSibling =
  (space: SpaceId): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.id IN (SELECT b.id FROM site_spaces o CROSS JOIN site_spaces b ON b.site = o.site AND b.section = o.section
      CROSS JOIN spaces t ON t.id = b.space AND t.deleted_at IS NOT NULL WHERE o.space = ${space})`;

interface AffectedIds {
  site: Set<SiteId>;
  space: Set<SpaceId>;
  organization: Set<OrganizationId>;
  user: Set<string>;
}

function addAffectedIds(affected: AffectedIds, { actor }: Caller, event: CausedEvent): void {
  const kind = invalidatedSites[event.type];
  const { organization, space, data = {} } = event as Partial<NewEvent>;
  const { site, branch } = data as { site?: SiteId; branch?: BranchId };
  if (kind === 'site' && site !== undefined) affected.site.add(site);
  // Events about rows name only the organization.
  else if (kind === 'organization' || (kind === 'space' && 'rows' in event) || (kind === 'site' && 'rows' in event)) {
    if (organization !== undefined) affected.organization.add(organization);
  } else if (space !== undefined && (kind === 'space' || (kind === 'head' && branch === space)))
    affected.space.add(space);
  else if (kind === 'user') affected.user.add(actor);
}

const selectIds = (ids: ReadonlySet<string>): SQL => sql`(SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/**
 * Increments `shown` for the sites, or for all sites of an organization, whose visitors see a change.
 * `invalidatedSites` lists the affected sites for each event.
 */
export function incrementShownCounters(db: Database, caller: Caller, events: readonly CausedEvent[]): Statement[] {
  const affected: AffectedIds = { site: new Set(), space: new Set(), organization: new Set(), user: new Set() };
  for (const event of events) addAffectedIds(affected, caller, event);
  const { site, space, organization, user } = affected;
  const countSites = (condition: SQL) => db.run(sql`UPDATE sites SET shown = shown + 1 WHERE ${condition}`);
  const countOrganizations = (condition: SQL) =>
    db.run(sql`UPDATE organizations SET shown = shown + 1 WHERE ${condition}`);
  return [
    ...(site.size === 0 ? [] : [countSites(sql`id IN ${selectIds(site)}`)]),
    ...(space.size === 0
      ? []
      : [countSites(sql`id IN (SELECT site FROM site_spaces WHERE space IN ${selectIds(space)})`)]),
    ...(organization.size === 0 ? [] : [countOrganizations(sql`id IN ${selectIds(organization)}`)]),
    ...(user.size === 0
      ? []
      : [countOrganizations(sql`id IN (SELECT organization FROM members WHERE user IN ${selectIds(user)})`)]),
  ];
}
