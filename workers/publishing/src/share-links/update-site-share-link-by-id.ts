import { siteShareLinks } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { givenOf, isThere, writeStructure } from '../structure/write-structure.ts';
import { presentShareLink, shareLinkRow } from './share-link-record.ts';

/** One that is switched off lets nobody in, also who came by it before. */
export const updateSiteShareLinkById: Handler<
  typeof publishing.updateSiteShareLinkById,
  PublishingEnvironment
> = async ({ params: { shareLinkId: id }, body: { active, name } }, context) => {
  const { db, site } = context;
  const given = givenOf({ active, name });
  const { changed } = await writeStructure(
    context,
    {
      event: { type: 'share_link.updated', data: { site: site.id, shareLink: id } },
      checks: [isThere(context, 'site_share_links', id)],
      statements: given === undefined ? [] : [db.update(siteShareLinks).set(given).where(eq(siteShareLinks.id, id))],
    },
    {
      changed: shareLinkRow.query(
        sql`SELECT ${shareLinkRow} FROM site_share_links k WHERE k.id = ${id} AND k.site = ${site.id}`,
      ),
    },
  );
  if (changed[0] === undefined) throw notFound('share link');
  return presentShareLink(changed[0], context);
};
