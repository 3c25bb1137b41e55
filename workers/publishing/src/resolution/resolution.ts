import { maybe, readRow, selection, siteSections, siteSpaces } from '@octavo/db';
import { placeAddress, siteAddress } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { resolveAddress } from './resolve-address.ts';
import { makePreviewPass, passParameter } from './visitors.ts';

export const getPublishedContentByUrl = handler(
  'getPublishedContentByUrl',
  ({ query: { url, visitorAuthToken, redirectOnError } }, context) =>
    resolveAddress({ url, jwt: visitorAuthToken, unsigned: {}, redirectOnError }, context),
);

export const resolvePublishedContentByUrl = handler(
  'resolvePublishedContentByUrl',
  ({ body: { url, visitor, redirectOnError } }, context) =>
    resolveAddress({ url, jwt: visitor?.jwtToken, unsigned: visitor?.unsignedClaims ?? {}, redirectOnError }, context),
);

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const placeRow = selection({
  siteSpace: { path: ss.path, isDefault: ss.isDefault },
  section: maybe({ path: sec.path, isDefault: sec.isDefault }),
});

export const getSitePublishingPreviewById = handler(
  'getSitePublishingPreviewById',
  async ({ query }, { site, actor, db, env }) => {
    const named = placeRow.query(sql`
    SELECT ${placeRow} FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
    WHERE ss.id = ${query.siteSpace ?? null} AND ss.site = ${site.id}`);
    const place = query.siteSpace === undefined ? undefined : await readRow(db, named);
    if (query.siteSpace !== undefined && place === undefined) throw notFound('site space');
    const { siteSpace, section } = place ?? {};
    const pass = await makePreviewPass(env, { organization: site.organization, site: site.id, user: actor.id });
    const address = placeAddress(siteAddress(env, site), { siteSpace, section: section ?? undefined });
    return { url: `${address}?${passParameter}=${pass}` };
  },
);
