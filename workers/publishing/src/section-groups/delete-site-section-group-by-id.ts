import type { Database, Statement } from '@octavo/db';
import { positionAtEnd } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, SiteId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isThere, writeStructure } from '../structure/write-structure.ts';

/** What it holds comes to the end of the top level, in its order. */
export const deleteSiteSectionGroupById: Handler<
  typeof publishing.deleteSiteSectionGroupById,
  PublishingEnvironment
> = async ({ params: { siteSectionGroupId: id } }, context) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'site_section_group.deleted', data: { site: site.id, sectionGroup: id } },
      checks: [isThere(context, 'site_section_groups', id)],
      statements: [
        ...leaveGroup(db, site.id, id),
        db.run(sql`DELETE FROM site_section_groups WHERE id = ${id} AND site = ${site.id}`),
      ],
    },
    [],
  );
};

/** Their positions go on behind a new one, so that they stay in their order. */
function leaveGroup(db: Database, site: SiteId, group: string): Statement[] {
  const end = positionAtEnd(Date.now());
  const held = sql`site = ${site} AND section_group = ${group}`;
  return [
    db.run(sql`UPDATE site_sections SET section_group = NULL, position = ${end} || position WHERE ${held}`),
    db.run(sql`UPDATE site_external_links SET section_group = NULL, position = ${end} || position WHERE ${held}`),
  ];
}
