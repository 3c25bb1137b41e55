import type { Check, Database, Statement } from '@octavo/db';
import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { readSiteAddress } from '@octavo/runtime';
import type { BodyOf, OrganizationId, publishing, SiteId } from '@octavo/schema';
import { conflict, namesNothing } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { isOfSection, makeDefault } from '../site-spaces/make-default.ts';
import { givenOf } from '../structure/write-structure.ts';
import { newStamp } from './new-stamp.ts';
import { presentSite } from './present-site.ts';
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

const lowerHost = (proxy: string | null | undefined) => proxy?.replace(/^[^/]*/, (host) => host.toLowerCase()) ?? proxy;

/** The hosts of the server itself are no site's own. */
function requireForeign(env: PublishingEnvironment, { hostname, proxy }: Body): void {
  const own = [env.OCTAVO_PUBLIC_URL, env.OCTAVO_SITES_URL].map(
    (url) => url && readSiteAddress(env, url)?.url.hostname,
  );
  for (const host of [hostname, proxy?.split('/')[0]?.toLowerCase()]) {
    if (host != null && own.includes(host)) throw conflict(`The host ${host} is this server's own.`);
  }
}

type Addressed = { id: SiteId; organization: OrganizationId };

function addressChecks({ id, organization }: Addressed, { basename, hostname, proxy }: Body): Check[] {
  const isFree = (column: string, value: string | null | undefined, message: string): Check => ({
    holds: sql`NOT EXISTS (SELECT 1 FROM sites WHERE ${sql.raw(column)} = ${value ?? null} AND id <> ${id}
      AND (${column} <> 'basename' OR organization = ${organization}))`,
    otherwise: () => conflict(message),
    heldBy: 'constraint',
  });
  return [
    isFree('basename', basename, 'Another site of the organization has this basename.'),
    isFree('hostname', hostname, 'The hostname belongs to another site.'),
    isFree('proxy', lowerHost(proxy), 'Another site is passed on at this address.'),
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
