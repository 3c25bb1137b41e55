import type { Check, Database, Statement } from '@octavo/db';
import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { BodyOf, publishing, SiteId } from '@octavo/schema';
import { namesNothing } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isOfSection, makeDefault } from '../site-spaces/make-default.ts';
import { givenOf } from '../structure/write-structure.ts';
import { addressChecks, lowerHost, requireForeign } from './addresses.ts';
import { newStamp } from './new-stamp.ts';
import { writeSite } from './write-site.ts';

type Endpoint = typeof publishing.updateSiteById;
type Body = BodyOf<Endpoint>;

export const updateSiteById: Handler<Endpoint, PublishingEnvironment> = async ({ body }, context) => {
  const { db, env, site, urls } = context;
  requireForeign(env, body);
  const statements = [...changesOf(db, site.id, body), ...defaultsOf(db, site.id, body)];
  if (statements.length === 0) return presentSite(site, urls);
  const checks = [...addressChecks(site, body), ...defaultChecks(site.id, body)];
  return presentSite(await writeSite(context, { type: 'site.updated', checks }, statements), urls);
};

/** Another audience ends what visitors hold. */
function changesOf(db: Database, id: SiteId, body: Body): Statement[] {
  const { title, visibility, basename, adaptiveContent, agentsContext, proxy, hostname } = body;
  const adaptive = adaptiveContent?.enabled;
  const given = givenOf({ title, visibility, basename, adaptive, agentsContext, proxy: lowerHost(proxy), hostname });
  if (given === undefined) return [];
  const stamp = visibility && sql`CASE WHEN visibility = ${visibility} THEN stamp ELSE ${newStamp()} END`;
  return [
    db
      .update(sites)
      .set({ ...given, stamp })
      .where(eq(sites.id, id)),
  ];
}

function defaultChecks(site: SiteId, { defaultSiteSection: section, defaultSiteSpace: siteSpace }: Body): Check[] {
  const isOfSite: Check = {
    holds: sql`EXISTS (SELECT 1 FROM site_sections WHERE id = ${section ?? null} AND site = ${site})`,
    otherwise: () => namesNothing('defaultSiteSection', 'section'),
  };
  const level = sql`COALESCE(${section ?? null}, (SELECT id FROM site_sections WHERE site = ${site} AND is_default = 1), '')`;
  return [
    ...(section === undefined ? [] : [isOfSite]),
    ...(siteSpace === undefined ? [] : [isOfSection(site, siteSpace, level)]),
  ];
}

const defaultsOf = (db: Database, site: SiteId, { defaultSiteSection, defaultSiteSpace }: Body): Statement[] => [
  ...(defaultSiteSection === undefined
    ? []
    : [
        db.run(sql`UPDATE site_sections SET is_default = 0 WHERE site = ${site} AND is_default = 1`),
        db.run(sql`UPDATE site_sections SET is_default = 1 WHERE id = ${defaultSiteSection} AND site = ${site}`),
      ]),
  ...(defaultSiteSpace === undefined ? [] : makeDefault(db, site, defaultSiteSpace)),
];
