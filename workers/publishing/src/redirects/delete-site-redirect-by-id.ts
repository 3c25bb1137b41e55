import { commitChecked, siteRedirects } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

export const deleteSiteRedirectById: Handler<typeof publishing.deleteSiteRedirectById, PublishingEnvironment> = async (
  { params },
  { db, site, commit },
) => {
  const it = sql`id = ${params.siteRedirectId} AND site = ${site.id}`;
  const isThere = {
    holds: sql`EXISTS (SELECT 1 FROM site_redirects WHERE ${it})`,
    otherwise: () => notFound('redirect'),
  };
  const data = { site: site.id, redirect: params.siteRedirectId };
  await commitChecked(db, [isThere], (guards) =>
    commit(
      [...guards, db.delete(siteRedirects).where(it)],
      [{ type: 'site_redirect.deleted', organization: site.organization, data }],
    ),
  );
  return undefined;
};
