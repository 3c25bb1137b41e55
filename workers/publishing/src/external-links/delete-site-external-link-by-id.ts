import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isThere, writeStructure } from '../structure/write-structure.ts';

export const deleteSiteExternalLinkById: Handler<
  typeof publishing.deleteSiteExternalLinkById,
  PublishingEnvironment
> = async ({ params: { siteExternalLinkId: id } }, context) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'site_external_link.deleted', data: { site: site.id, externalLink: id } },
      checks: [isThere(context, 'site_external_links', id)],
      statements: [db.run(sql`DELETE FROM site_external_links WHERE id = ${id} AND site = ${site.id}`)],
    },
    [],
  );
};
