import { siteSectionGroups } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { selectGroup } from '../structure/structure-record.ts';
import { givenOf, isThere, writeStructure } from '../structure/write-structure.ts';
import { presentChangedGroup } from './read-changed-group.ts';

export const updateSiteSectionGroupById: Handler<
  typeof publishing.updateSiteSectionGroupById,
  PublishingEnvironment
> = async ({ params: { siteSectionGroupId: id }, body: { title, icon } }, context) => {
  const { db, site } = context;
  const given = givenOf({ title, icon });
  const read = await writeStructure(
    context,
    {
      event: { type: 'site_section_group.updated', data: { site: site.id, sectionGroup: id } },
      checks: [isThere(context, 'site_section_groups', id)],
      statements:
        given === undefined ? [] : [db.update(siteSectionGroups).set(given).where(eq(siteSectionGroups.id, id))],
    },
    selectGroup(context, id),
  );
  return presentChangedGroup(read, context);
};
