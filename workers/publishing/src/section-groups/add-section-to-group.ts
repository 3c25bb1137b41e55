import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { selectGroup } from '../structure/structure-record.ts';
import { isNamed, isThere, writeStructure } from '../structure/write-structure.ts';
import { placeSections } from './into-group.ts';
import { presentChangedGroup } from './read-changed-group.ts';

export const addSectionToGroup: Handler<typeof publishing.addSectionToGroup, PublishingEnvironment> = async (
  { params: { siteSectionGroupId: group }, body: { sectionId: id } },
  context,
) => {
  const { db, site } = context;
  const read = await writeStructure(
    context,
    {
      event: { type: 'site_section.moved', data: { site: site.id, section: id } },
      checks: [
        isThere(context, 'site_section_groups', group),
        ...isNamed(context, 'site_sections', { field: 'sectionId', id }),
      ],
      statements: [placeSections(db, site.id, { group, ids: [id] })],
    },
    selectGroup(context, group),
  );
  return presentChangedGroup(read, context);
};
