import type { Query, RecordOf } from '@octavo/db';
import { grantedScopes, grantedScopesField, installations, integrations, selection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { ContentSecurityPolicy, IntegrationScope, OrganizationId, PublishedSite, SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

const scriptRow = selection({
  installation: i.id,
  integration: g.name,
  scopes: grantedScopesField(sql`i`, sql`g`),
  contentSecurityPolicy: g.contentSecurityPolicy,
});

/**
 * What is active on a site: installed there itself, in an organization where that is active, too. Of `installations i`
 * and `integrations g`.
 */
const activeOn = (site: SQL<SiteId> | SiteId, organization: SQL<OrganizationId> | OrganizationId): SQL => sql`
  site_installations x INDEXED BY site_installations_of_site
  CROSS JOIN installations i ON i.id = x.installation AND i.status = 'active' AND i.organization = ${organization}
  CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL
  WHERE x.site = ${site} AND x.status = 'active'`;

const has = (scope: IntegrationScope): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${grantedScopes(sql`i`, sql`g`)}) WHERE value = ${scope})`;

/** The scripts of a site, those first that were installed first. */
export const scriptsOf = (site: SiteId, organization: OrganizationId): Query<RecordOf<typeof scriptRow>> =>
  scriptRow.query(sql`SELECT ${scriptRow} FROM ${activeOn(site, organization)} AND ${has('site:script:inject')}
    ORDER BY x.created_at, x.installation`);

/** Whether an integration is active on a site to vouch for its visitors. */
export const vouchesFor = (integration: string, site: SiteId, organization: OrganizationId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${activeOn(site, organization)} AND g.name = ${integration} AND ${has('site:visitor:auth')})`;

/** A script as pages of the site load it. */
export const presentScript = (
  { installation, integration, scopes, contentSecurityPolicy: policy }: RecordOf<typeof scriptRow>,
  site: SiteId,
  urls: Urls,
): PublishedSite['scripts'][number] => ({
  script: urls.page(`/integrations/${integration}/installations/${installation}/sites/${site}/script.js`),
  ...(policy === null ? {} : { contentSecurityPolicy: policyText(policy) }),
  cookies: scopes.includes('site:script:cookies'),
});

const policyText = (policy: ContentSecurityPolicy): string =>
  typeof policy === 'string'
    ? policy
    : Object.entries(policy)
        .map(([directive, value]) => `${directive} ${value}`.trimEnd())
        .join('; ');
