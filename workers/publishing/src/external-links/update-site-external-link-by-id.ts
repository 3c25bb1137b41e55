import { positionAtEnd, siteExternalLinks } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { presentLink } from '../structure/present-structure.ts';
import { selectLink } from '../structure/structure-record.ts';
import {
  givenOf,
  isNamed,
  isThere,
  managersView,
  requireCondition,
  writeStructure,
} from '../structure/write-structure.ts';

/** In a group, or out of it, a link stands at the end. */
export const updateSiteExternalLinkById: Handler<
  typeof publishing.updateSiteExternalLinkById,
  PublishingEnvironment
> = async ({ params: { siteExternalLinkId: id }, body: { parent, description, ...body } }, context) => {
  const { db, site } = context;
  requireCondition(body.condition);
  const end = sql`CASE WHEN section_group IS ${parent ?? null} THEN position ELSE ${positionAtEnd(Date.now())} END`;
  const given = givenOf({ ...body, description: description === '' ? null : description, sectionGroup: parent });
  const position = parent === undefined ? undefined : end;
  const { changed } = await writeStructure(
    context,
    {
      event: { type: 'site_external_link.updated', data: { site: site.id, externalLink: id } },
      checks: [
        isThere(context, 'site_external_links', id),
        ...isNamed(context, 'site_section_groups', { field: 'parent', id: parent }),
      ],
      statements:
        given === undefined
          ? []
          : [
              db
                .update(siteExternalLinks)
                .set({ ...given, position })
                .where(eq(siteExternalLinks.id, id)),
            ],
    },
    { changed: selectLink(site.id, id) },
  );
  if (changed[0] === undefined) throw notFound('external link');
  return presentLink(changed[0], managersView(context));
};
