import type { Check, Database, Statement } from '@octavo/db';
import { positionAtEnd, siteSections } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { BodyOf, publishing, SiteId } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isOfSection, makeDefault } from '../site-spaces/make-default.ts';
import { selectSection } from '../structure/structure-record.ts';
import { givenOf, isNamed, isThere, requireCondition, writeStructure } from '../structure/write-structure.ts';
import { presentChangedSection } from './read-changed-section.ts';

type Endpoint = typeof publishing.updateSiteSectionById;

export const updateSiteSectionById: Handler<Endpoint, PublishingEnvironment> = async (
  { params: { siteSectionId: id }, body },
  context,
) => {
  const { db, site } = context;
  requireCondition(body.condition);
  const { defaultSiteSpace, siteSectionGroupId: group } = body;
  const named = defaultSiteSpace === undefined ? [] : [isOfSection(site.id, defaultSiteSpace, sql`${id}`)];
  const read = await writeStructure(
    context,
    {
      event: { type: 'site_section.updated', data: { site: site.id, section: id } },
      checks: [
        isThere(context, 'site_sections', id),
        ...isNamed(context, 'site_section_groups', { field: 'siteSectionGroupId', id: group }),
        ...named,
        isFree(site.id, { id, path: body.path }),
      ],
      statements: [
        ...changesOf(db, id, body),
        ...(defaultSiteSpace === undefined ? [] : makeDefault(db, site.id, defaultSiteSpace)),
      ],
    },
    selectSection(context, id),
  );
  return presentChangedSection(read, context);
};

/** In a group, or out of it, a section stands at the end. */
function changesOf(db: Database, id: string, body: BodyOf<Endpoint>): Statement[] {
  const { title, path, condition, icon, siteSectionGroupId: sectionGroup } = body;
  const description = body.description === '' ? null : body.description;
  const given = givenOf({ title, path, condition, icon, description, sectionGroup });
  if (given === undefined) return [];
  const position =
    sectionGroup === undefined
      ? undefined
      : sql`CASE WHEN section_group IS ${sectionGroup} THEN position ELSE ${positionAtEnd(Date.now())} END`;
  return [
    db
      .update(siteSections)
      .set({ ...given, position })
      .where(eq(siteSections.id, id)),
  ];
}

const isFree = (site: SiteId, { id, path }: { id: string; path: string | undefined }): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM site_sections WHERE site = ${site} AND path = ${path ?? null} AND id <> ${id})`,
  otherwise: () => conflict('Another section of the site has this path.'),
  heldBy: 'constraint',
});
