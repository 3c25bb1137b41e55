import type { Database, Statement } from '@octavo/db';
import type { SiteId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { freePath } from '../structure/free-path.ts';

interface NewSiteSpace {
  id: string;
  site: SiteId;
  /** The section's id, '' where the site has none. */
  section: SQL;
  space: SpaceId;
  /** What its path is made of. */
  title: string;
  position: string;
}

/**
 * Adds a site space whose path is free when it is written. It is the default where none is whose space can be shown: one
 * that is in the trash stays behind.
 */
export function insertSiteSpace(
  db: Database,
  { id, site, section, space, title, position }: NewSiteSpace,
): Statement[] {
  const path = freePath(
    title,
    (candidate) =>
      sql`EXISTS (SELECT 1 FROM site_spaces x WHERE x.site = ${site} AND x.section = place.section AND x.path = ${candidate})`,
  );
  return [
    db.run(sql`INSERT INTO site_spaces (id, site, section, space, path, is_default, position, created_at)
      SELECT ${id}, ${site}, place.section, ${space}, ${path}, 0, ${position}, ${Date.now()}
      FROM (SELECT ${section} AS section) place`),
    db.run(sql`UPDATE site_spaces SET is_default = 0 WHERE site = ${site} AND is_default = 1
      AND section = (SELECT section FROM site_spaces WHERE id = ${id})
      AND EXISTS (SELECT 1 FROM spaces s WHERE s.id = site_spaces.space AND s.deleted_at IS NOT NULL)`),
    db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM site_spaces x
      WHERE x.site = ${site} AND x.section = site_spaces.section AND x.is_default = 1)`),
  ];
}
