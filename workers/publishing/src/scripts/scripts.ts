import type { Query, RecordOf } from '@octavo/db';
import {
  createGrantedScopesField,
  installations,
  integrations,
  readRows,
  selectGrantedScopes,
  selection,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { ContentSecurityPolicy, IntegrationScope, OrganizationId, PublishedSite, SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';

export const listSiteIntegrationScripts = handler('listSiteIntegrationScripts', async (_, { db, site, urls }) => {
  const scripts = await readRows(db, selectScripts(site.id, site.organization));
  return scripts.map((script) => presentScript(script, site.id, urls));
});

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

const scriptRow = selection({
  installation: i.id,
  integration: g.name,
  scopes: createGrantedScopesField(sql`i`, sql`g`),
  contentSecurityPolicy: g.contentSecurityPolicy,
});

/**
 * FROM and WHERE of the installations that are active on a site and in its organization: `installations i`,
 * `integrations g`.
 */
const selectActive = (site: SQL<SiteId> | SiteId, organization: SQL<OrganizationId> | OrganizationId): SQL => sql`
  site_installations x INDEXED BY site_installations_of_site
  CROSS JOIN installations i ON i.id = x.installation AND i.status = 'active' AND i.organization = ${organization}
  CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL
  WHERE x.site = ${site} AND x.status = 'active'`;

const hasScope = (scope: IntegrationScope): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${selectGrantedScopes(sql`i`, sql`g`)}) WHERE value = ${scope})`;

/** Selects the scripts of a site, the first installed first. */
export const selectScripts = (site: SiteId, organization: OrganizationId): Query<RecordOf<typeof scriptRow>> =>
  scriptRow.query(sql`SELECT ${scriptRow} FROM ${selectActive(site, organization)} AND ${hasScope('site:script:inject')}
    ORDER BY x.created_at, x.installation`);

/** SQL that holds if an active integration of the site can authenticate its visitors. */
export const canAuthenticate = (integration: string, site: SiteId, organization: OrganizationId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${selectActive(site, organization)} AND g.name = ${integration} AND ${hasScope('site:visitor:auth')})`;

export const presentScript = (
  { installation, integration, scopes, contentSecurityPolicy: policy }: RecordOf<typeof scriptRow>,
  site: SiteId,
  urls: Urls,
): PublishedSite['scripts'][number] => ({
  script: urls.page(`/integrations/${integration}/installations/${installation}/sites/${site}/script.js`),
  ...(policy === null ? {} : { contentSecurityPolicy: formatPolicy(policy) }),
  cookies: scopes.includes('site:script:cookies'),
});

const formatPolicy = (policy: ContentSecurityPolicy): string =>
  typeof policy === 'string'
    ? policy
    : Object.entries(policy)
        .map(([directive, value]) => `${directive} ${value}`.trimEnd())
        .join('; ');
