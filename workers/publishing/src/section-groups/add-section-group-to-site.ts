import type { Check } from '@octavo/db';
import { positionAtEnd, siteSectionGroups } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, SiteId } from '@octavo/schema';
import { namesNothing, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { hasRoomFor, hasSections } from '../structure/bounds.ts';
import { selectGroup } from '../structure/structure-record.ts';
import { writeStructure } from '../structure/write-structure.ts';
import { placeSections } from './into-group.ts';
import { presentChangedGroup } from './read-changed-group.ts';

export const addSectionGroupToSite: Handler<typeof publishing.addSectionGroupToSite, PublishingEnvironment> = async (
  { body: { title, icon = null, sections } },
  context,
) => {
  const { db, site } = context;
  const id = newId('sectionGroup');
  const createdAt = Date.now();
  const row = { id, site: site.id, title, icon, position: positionAtEnd(createdAt), createdAt };
  const ids = [...new Set(sections)];
  const read = await writeStructure(
    context,
    {
      event: { type: 'site_section_group.created', data: { site: site.id, sectionGroup: id } },
      checks: [areOfSite(site.id, ids), hasSections(site.id), hasRoomFor(site.id, 'site_section_groups')],
      statements: [db.insert(siteSectionGroups).values(row), placeSections(db, site.id, { group: id, ids })],
    },
    selectGroup(context, id),
  );
  return presentChangedGroup(read, context);
};

function areOfSite(site: SiteId, ids: string[]): Check {
  const missing = sql`SELECT w.key FROM json_each(${JSON.stringify(ids)}) w
    WHERE NOT EXISTS (SELECT 1 FROM site_sections WHERE id = w.value AND site = ${site})`;
  return {
    holds: sql`NOT EXISTS (${missing})`,
    culprit: sql`CAST((${missing} LIMIT 1) AS TEXT)`,
    otherwise: (index) => namesNothing(`sections.${index ?? 0}`, 'section'),
  };
}
