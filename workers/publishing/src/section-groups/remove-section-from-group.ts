import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isThere, writeStructure } from '../structure/write-structure.ts';
import { placeSections } from './into-group.ts';

export const removeSectionFromGroup: Handler<typeof publishing.removeSectionFromGroup, PublishingEnvironment> = async (
  { params: { siteSectionGroupId: group, siteSectionId: id } },
  context,
) => {
  const { db, site } = context;
  const isInside = {
    holds: sql`EXISTS (SELECT 1 FROM site_sections WHERE id = ${id} AND site = ${site.id} AND section_group = ${group})`,
    otherwise: () => notFound('section'),
  };
  await writeStructure(
    context,
    {
      event: { type: 'site_section.moved', data: { site: site.id, section: id } },
      checks: [isThere(context, 'site_section_groups', group), isInside],
      statements: [placeSections(db, site.id, { group: null, ids: [id] })],
    },
    [],
  );
};
