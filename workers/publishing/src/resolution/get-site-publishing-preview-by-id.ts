import { maybe, readRow, selection, siteSections, siteSpaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { placeAddress, siteAddress } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { makePreviewPass, passParameter } from './preview-pass.ts';

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const placeRow = selection({
  siteSpace: { path: ss.path, isDefault: ss.isDefault },
  section: maybe({ path: sec.path, isDefault: sec.isDefault }),
});

export const getSitePublishingPreviewById: Handler<
  typeof publishing.getSitePublishingPreviewById,
  PublishingEnvironment
> = async ({ query }, { site, actor, db, env }) => {
  const named = placeRow.query(sql`
    SELECT ${placeRow} FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
    WHERE ss.id = ${query.siteSpace ?? null} AND ss.site = ${site.id}`);
  const place = query.siteSpace === undefined ? undefined : await readRow(db, named);
  if (query.siteSpace !== undefined && place === undefined) throw notFound('site space');
  const { siteSpace, section } = place ?? {};
  const pass = await makePreviewPass(env, { organization: site.organization, site: site.id, user: actor.id });
  const address = placeAddress(siteAddress(env, site), { siteSpace, section: section ?? undefined });
  return { url: `${address}?${passParameter}=${pass}` };
};
