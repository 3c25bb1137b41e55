import type { Check } from '@octavo/db';
import { siteSpaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, SiteId, SpaceId } from '@octavo/schema';
import { conflict, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { givenOf, managersView, requireCondition, writeStructure } from '../structure/write-structure.ts';
import { seesSiteSpace, seesSpaces } from './checks.ts';
import { presentSiteSpace } from './present-site-space.ts';
import { selectSiteSpaces } from './site-space-record.ts';

export const updateSiteSpaceById: Handler<typeof publishing.updateSiteSpaceById, PublishingEnvironment> = async (
  { params: { siteSpaceId: id }, body: { path, condition, spaceId } },
  context,
) => {
  const { db, site, organization, actor } = context;
  requireCondition(condition);
  const linked =
    spaceId === undefined ? [] : [seesSpaces({ organization: organization.id, actor, fields: fieldOf(spaceId) })];
  const given = givenOf({ path, condition, space: spaceId });
  const rows = await writeStructure(
    context,
    {
      event: { type: 'site_space.updated', data: { site: site.id, siteSpace: id } },
      checks: [seesSiteSpace(context, id), ...linked, isFree(site.id, { id, path })],
      statements: given === undefined ? [] : [db.update(siteSpaces).set(given).where(eq(siteSpaces.id, id))],
    },
    { changed: selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }) },
  );
  const [changed] = rows.changed;
  if (changed?.role == null) throw notFound('site space');
  return presentSiteSpace(changed, managersView(context));
};

const fieldOf = (space: SpaceId) => new Map([[space, 'spaceId']]);

const isFree = (site: SiteId, { id, path }: { id: string; path: string | undefined }): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN site_spaces x ON x.site = ss.site
    AND x.section = ss.section AND x.path = ${path ?? null} AND x.id <> ss.id WHERE ss.id = ${id} AND ss.site = ${site})`,
  otherwise: () => conflict('Another site space beside it has this path.'),
  heldBy: 'constraint',
});
