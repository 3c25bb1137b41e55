import type { OrganizationId, SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { EventsOfRows } from '../caused-events.ts';
import type { Statement } from '../connect.ts';

/** A write with what it tells of. */
export interface Effect {
  statements: Statement[];
  events: EventsOfRows[];
}

const installed = sql.raw("'installation', installation, 'integration', integration, 'status', status");

/** What tells of the installations on spaces that leave their organization or end, by a condition on `space_installations`. */
export const uninstalledFromSpaces = (organization: OrganizationId, which: SQL): EventsOfRows => ({
  type: 'space_installation.deleted',
  organization,
  rows: sql`SELECT space, json_object(${installed}) AS data FROM space_installations
    WHERE ${which} AND +organization = ${organization}`,
});

/** What tells of the installations on a site that ends. */
export const uninstalledFromSite = (organization: OrganizationId, site: SiteId): EventsOfRows => ({
  type: 'site_installation.deleted',
  organization,
  rows: sql`SELECT NULL AS space, json_object(${installed}, 'site', site) AS data FROM site_installations
    WHERE site = ${site} AND +organization = ${organization}`,
});
