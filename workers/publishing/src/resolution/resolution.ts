import type { Parameter } from '@octavo/db';
import { nullable, prepareQuery, readRow, selection, siteSections, siteSpaces } from '@octavo/db';
import { getLocationUrl, getSiteUrl } from '@octavo/runtime';
import type { PublishedLookup, SiteId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, and, eq } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { resolveAddress } from './resolve-address.ts';
import { createPreviewPass, passParameter } from './visitors.ts';

export const getPublishedContentByUrl = handler(
  'getPublishedContentByUrl',
  ({ query: { url, visitorAuthToken, redirectOnError } }, context) =>
    lookUp({ url, jwt: visitorAuthToken, unsignedClaims: {}, redirectOnError }, context),
);

export const resolvePublishedContentByUrl = handler(
  'resolvePublishedContentByUrl',
  ({ body: { url, visitor, redirectOnError } }, context) =>
    lookUp({ url, jwt: visitor?.jwtToken, unsignedClaims: visitor?.unsignedClaims ?? {}, redirectOnError }, context),
);

async function lookUp(...input: Parameters<typeof resolveAddress>): Promise<PublishedLookup> {
  const resolved = await resolveAddress(...input);
  if ('target' in resolved) return { target: resolved.target, redirect: resolved.redirect };
  const { previewed: _, isPreviewPass: __, ...content } = resolved;
  return content;
}

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const placeRow = selection({
  siteSpace: { path: ss.path, isDefault: ss.isDefault },
  section: nullable({ path: sec.path, isDefault: sec.isDefault }),
});
const placeOfSiteSpace = prepareQuery(placeRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select
    .from(ss)
    .leftJoin(sec, eq(sec.id, ss.section))
    .where(and(eq(ss.id, id), eq(ss.site, site))),
);

export const getSitePublishingPreviewById = handler(
  'getSitePublishingPreviewById',
  async ({ query }, { site, actor, db, env }) => {
    const { siteSpace: id } = query;
    const location = id === undefined ? undefined : await readRow(db, placeOfSiteSpace(site.id, id));
    if (id !== undefined && location === undefined) throw notFound('site space');
    const { siteSpace, section } = location ?? {};
    const pass = await createPreviewPass(env, { organization: site.organization, site: site.id, user: actor.id });
    const address = getLocationUrl(getSiteUrl(env, site), { siteSpace, section: section ?? undefined });
    return { url: `${address}?${passParameter}=${pass}` };
  },
);
