import type { Check, Database, Statement } from '@octavo/db';
import type { SiteId } from '@octavo/schema';
import { namesNothing } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** A site space is of a section, and its space is not in the trash. */
export const isOfSection = (site: SiteId, id: string, section: SQL): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NULL
    WHERE ss.id = ${id} AND ss.site = ${site} AND ss.section = ${section})`,
  otherwise: () => namesNothing('defaultSiteSpace', 'site space'),
});

/** Makes a site space the default of its level. */
export const makeDefault = (db: Database, site: SiteId, id: string): Statement[] => [
  db.run(sql`UPDATE site_spaces SET is_default = 0 WHERE site = ${site} AND is_default = 1
    AND section = (SELECT x.section FROM site_spaces x WHERE x.id = ${id})`),
  db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id = ${id} AND site = ${site}`),
];
