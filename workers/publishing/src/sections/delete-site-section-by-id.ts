import type { Database, Statement } from '@octavo/db';
import { deleteSiteSpaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, SiteId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isThere, writeStructure } from '../structure/write-structure.ts';

/** Its site spaces go with it; the spaces stay. Where it was the default, the first section that remains becomes it. */
export const deleteSiteSectionById: Handler<typeof publishing.deleteSiteSectionById, PublishingEnvironment> = async (
  { params: { siteSectionId: id } },
  context,
) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'site_section.deleted', data: { site: site.id, section: id } },
      checks: [isThere(context, 'site_sections', id)],
      statements: [
        ...deleteSiteSpaces(db, (alias) => sql`${alias}.site = ${site.id} AND ${alias}.section = ${id}`),
        db.run(sql`DELETE FROM site_sections WHERE id = ${id} AND site = ${site.id}`),
        passDefaultOn(db, site.id),
      ],
    },
    [],
  );
};

const passDefaultOn = (db: Database, site: SiteId): Statement =>
  db.run(sql`UPDATE site_sections SET is_default = 1 WHERE id = (
    SELECT x.id FROM site_sections x LEFT JOIN site_section_groups g ON g.id = x.section_group WHERE x.site = ${site}
    ORDER BY COALESCE(g.position, x.position), COALESCE(g.id, x.id), x.position, x.id LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.is_default = 1)`);
