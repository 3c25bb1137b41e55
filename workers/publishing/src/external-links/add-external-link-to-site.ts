import { onlyRow, positionAtEnd, siteExternalLinks } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { hasRoomFor, hasSections } from '../structure/bounds.ts';
import { presentLink } from '../structure/present-structure.ts';
import { selectLink } from '../structure/structure-record.ts';
import { isNamed, managersView, requireCondition, writeStructure } from '../structure/write-structure.ts';

export const addExternalLinkToSite: Handler<typeof publishing.addExternalLinkToSite, PublishingEnvironment> = async (
  { body: { parent, ...body } },
  context,
) => {
  const { db, site } = context;
  requireCondition(body.condition);
  const id = newId('externalLink');
  const createdAt = Date.now();
  const row = {
    ...body,
    description: body.description || null,
    ...{ id, site: site.id, sectionGroup: parent ?? null, position: positionAtEnd(createdAt), createdAt },
  };
  const { made } = await writeStructure(
    context,
    {
      event: { type: 'site_external_link.created', data: { site: site.id, externalLink: id } },
      checks: [
        ...isNamed(context, 'site_section_groups', { field: 'parent', id: parent }),
        hasSections(site.id),
        hasRoomFor(site.id, 'site_external_links'),
      ],
      statements: [db.insert(siteExternalLinks).values(row)],
    },
    { made: selectLink(site.id, id) },
  );
  return presentLink(onlyRow(made), managersView(context));
};
