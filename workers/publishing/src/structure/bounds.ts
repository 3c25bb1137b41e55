import type { Check } from '@octavo/db';
import type { SiteId } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';

const most = { site_sections: 100, site_section_groups: 50, site_external_links: 100, site_share_links: 100 };
const names: Record<keyof typeof most, string> = {
  site_sections: 'sections',
  site_section_groups: 'section groups',
  site_external_links: 'external links',
  site_share_links: 'share links',
};

/** A site has so many of them at most, with those that are added. */
export const hasRoomFor = (site: SiteId, table: keyof typeof most, added = 1): Check => ({
  holds: sql`(SELECT COUNT(*) FROM ${sql.raw(table)} WHERE site = ${site}) <= ${sql.raw(String(most[table] - added))}`,
  otherwise: () => conflict(`A site has at most ${most[table]} ${names[table]}.`),
});

/** Groups and external links stand beside sections: a site that has none shows neither. */
export const hasSections = (site: SiteId): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM site_sections WHERE site = ${site})`,
  otherwise: () => conflict('The site has no sections yet: add one first.'),
});
