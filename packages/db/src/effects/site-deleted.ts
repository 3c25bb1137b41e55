import type { OrganizationId, SiteId } from '@octavo/schema';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { organizations } from '../org-admin.ts';
import type { Effect } from './places-left.ts';
import { uninstalledFromSite } from './places-left.ts';

const tablesOfSites = [
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
];

/** Deletes a site with all that it has; where its organization shows it by default, that shows nothing by default now. */
export const deleteSite = (
  db: Database,
  { id, organization }: { id: SiteId; organization: OrganizationId },
): Effect => ({
  statements: [
    db.run(sql`DELETE FROM sites WHERE id = ${id} AND organization = ${organization}`),
    ...tablesOfSites.map((table) => db.run(sql`DELETE FROM ${sql.raw(table)} WHERE site = ${id}`)),
    db
      .update(organizations)
      .set({ defaultContent: null })
      .where(and(eq(organizations.id, organization), sql`default_content->>'site' = ${id}`)),
  ],
  events: [uninstalledFromSite(organization, id)],
});
