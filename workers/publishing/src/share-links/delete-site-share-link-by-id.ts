import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isThere, writeStructure } from '../structure/write-structure.ts';

export const deleteSiteShareLinkById: Handler<
  typeof publishing.deleteSiteShareLinkById,
  PublishingEnvironment
> = async ({ params: { shareLinkId: id } }, context) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'share_link.deleted', data: { site: site.id, shareLink: id } },
      checks: [isThere(context, 'site_share_links', id)],
      statements: [db.run(sql`DELETE FROM site_share_links WHERE id = ${id} AND site = ${site.id}`)],
    },
    [],
  );
};
