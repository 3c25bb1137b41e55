import { commitChecked, positionAtEnd } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { namesNothing, newId, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { siteThere } from '../sites/write-site.ts';
import { hasRoom, seesSpaces } from './checks.ts';
import { insertSiteSpace } from './insert-site-space.ts';
import { presentSiteSpace } from './present-site-space.ts';
import { selectSiteSpaces } from './site-space-record.ts';

export const addSpaceToSite: Handler<typeof publishing.addSpaceToSite, PublishingEnvironment> = async (
  { body: { spaceId, sectionId } },
  { db, site, organization, actor, targets, commit, urls },
) => {
  const id = newId('siteSpace');
  const title = targets.spaceId?.space.title ?? '';
  const section =
    sectionId === undefined
      ? sql`COALESCE((SELECT id FROM site_sections WHERE site = ${site.id} AND is_default = 1), '')`
      : sql`${sectionId}`;
  const fields = new Map([[spaceId, 'spaceId']]);
  const isOfSite = {
    holds: sql`${sectionId ?? null} IS NULL
      OR EXISTS (SELECT 1 FROM site_sections WHERE id = ${sectionId ?? null} AND site = ${site.id})`,
    otherwise: () => namesNothing('sectionId', 'section'),
  };
  const checks = [
    siteThere(site),
    isOfSite,
    seesSpaces({ organization: organization.id, actor, fields }),
    hasRoom(site.id),
  ];
  const row = { id, site: site.id, section, space: spaceId, title, position: positionAtEnd(Date.now()) };
  const { made } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        insert: insertSiteSpace(db, row),
        made: selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }),
      },
      [{ type: 'site_space.created', organization: site.organization, data: { site: site.id, siteSpace: id } }],
    ),
  );
  if (made[0] === undefined) throw notFound('space');
  return presentSiteSpace(made[0], { site, urls, isVisitor: false });
};
