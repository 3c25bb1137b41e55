import type { Parameter, Query, RecordOf } from '@octavo/db';
import {
  createGrantedScopesField,
  installations,
  integrations,
  prepareQuery,
  readRows,
  runBatch,
  selectGrantedScopes,
  selection,
  siteCustomizations,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Context, Urls } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type {
  ContentSecurityPolicy,
  IntegrationScope,
  OrganizationId,
  PublishedSite,
  publishing,
  SiteCustomization,
  SiteId,
  SiteLink,
  SpaceId,
  VisibilityTarget,
} from '@octavo/schema';
import { formatTimestamp, getLinkTargets, mergeCustomizations, toVisibleCustomization } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { presentStructure } from '../structure/presenter.ts';
import type { SiteSpaceRecord } from '../structure/queries.ts';
import { filterStructure, getStructureReader, selectStructure } from '../structure/queries.ts';

const c = aliasedTable(siteCustomizations, 'c');
const lookRow = selection({ siteSpace: c.siteSpace, settings: c.settings, updatedAt: c.updatedAt });
const customizationsBySite = prepareQuery(lookRow, (select, site: Parameter<SiteId>) =>
  select.from(c).where(eq(c.site, site)),
);

/**
 * Returns everything needed to render the site for the caller. One round trip, and one more for a visitor if the site's
 * links refer to pages.
 */
export const getPublishedContentSite = handler('getPublishedContentSite', ({ query: { shareKey } }, context) =>
  readPublishedSite(shareKey, context),
);

type PublishedContext = Context<typeof publishing.getPublishedContentSite, PublishingEnvironment>;
type SiteContext = Pick<PublishedContext, 'db' | 'site' | 'visitor' | 'urls' | 'env' | 'callWorker'> &
  Partial<Pick<PublishedContext, 'actor'>>;

/** Reads a site for a caller who is authorized to see it. */
export async function readPublishedSite(shareKey: string | undefined, context: SiteContext): Promise<PublishedSite> {
  const { db, site, actor, visitor, urls } = context;
  const isVisitor = visitor !== undefined;
  const { looks, scripts, ...all } = await runBatch(db, {
    scripts: selectScripts(site.id, site.organization),
    ...selectStructure({ site, actor: getStructureReader(site, { actor, visitor }) }),
    looks: customizationsBySite(site.id),
  });
  const visibleStructure = filterStructure(all, visitor);
  const siteSpaces = isVisitor ? visibleStructure.siteSpaces.length : site.siteSpaces;
  return {
    object: 'published-content-site',
    site: presentSite(site, urls, { siteSpaces, shareKey }),
    structure: presentStructure(visibleStructure, { site, urls, shareKey, isVisitor }, all.sections.length > 0),
    customizations: await readCustomizations(looks, visibleStructure.siteSpaces, context),
    scripts: scripts.map((script) => presentScript(script, site.id, urls)),
  };
}

/** Reads the customizations of the site and of each visible site space. */
async function readCustomizations(
  looks: RecordOf<typeof lookRow>[],
  siteSpaces: SiteSpaceRecord[],
  viewer: Viewer,
): Promise<PublishedSite['customizations']> {
  const customizations = new Map(looks.map((customization) => [customization.siteSpace, customization]));
  const siteCustomization = customizations.get('') ?? null;
  const home = siteSpaces.find(({ isDefault, section }) => isDefault && section?.isDefault !== false);
  const site = {
    settings: presentCustomization({ whole: siteCustomization, own: null }),
    space: (home ?? siteSpaces[0])?.space.id,
  };
  const ownCustomizations = siteSpaces.map(({ id, space }) => ({
    settings: presentCustomization({ whole: siteCustomization, own: customizations.get(id) ?? null }),
    space: space.id,
  }));
  const [first = site.settings, ...rest] = await filterCustomizations([site, ...ownCustomizations], viewer);
  return {
    site: first,
    siteSpaces: Object.fromEntries(siteSpaces.map(({ id }, index) => [id, rest[index] ?? first])),
  };
}

type StoredCustomization = Pick<RecordOf<typeof lookRow>, 'settings' | 'updatedAt'> | null;

/** The settings of a site and of one of its site spaces, which override them. */
interface MergedCustomizations {
  whole: StoredCustomization;
  own: StoredCustomization;
}

export function presentCustomization({ whole, own }: MergedCustomizations): SiteCustomization {
  const updatedAt = Math.max(whole?.updatedAt ?? 0, own?.updatedAt ?? 0);
  const customization = mergeCustomizations(whole?.settings, own?.settings);
  return updatedAt === 0 ? customization : { ...customization, updatedAt: formatTimestamp(updatedAt) };
}

/** A customization, with the space that its links refer to by default. */
interface CustomizedSpace {
  settings: SiteCustomization;
  space: SpaceId | undefined;
}

type Viewer = Pick<SiteContext, 'env' | 'callWorker' | 'visitor'>;

/** Maximum number of link targets looked up. Links beyond this limit are left out. */
const maxLinkTargets = 500;

/**
 * Returns the page or space that must be visible for a link to work. Collections and specifications have no URL in a
 * site.
 */
function getTarget(to: SiteLink, home: SpaceId | undefined): VisibilityTarget | undefined {
  if (to.kind === 'url' || to.kind === 'collection' || to.kind === 'openapi') return undefined;
  const space = (to.space as SpaceId | undefined) ?? home;
  if (space === undefined) return undefined;
  return to.kind === 'page' || to.kind === 'anchor' ? { space, page: to.page } : { space };
}

const getTargetKey = ({ space, page }: VisibilityTarget): string => `${space} ${page ?? ''}`;

/**
 * Removes the parts of customizations that a visitor may not see, such as links to hidden pages. Calls the content
 * worker once if any link refers to a page or space.
 */
async function filterCustomizations(
  looks: CustomizedSpace[],
  { env, callWorker, visitor }: Viewer,
): Promise<SiteCustomization[]> {
  if (visitor === undefined) return looks.map(({ settings }) => settings);
  const isShown = (condition: string | undefined) => isShownTo(condition, visitor.claims);
  const targetsByKey = new Map(
    looks.flatMap(({ settings, space }) =>
      getLinkTargets(settings, isShown).flatMap((to) => {
        const target = getTarget(to, space);
        return target === undefined ? [] : [[getTargetKey(target), target] as const];
      }),
    ),
  );
  const targets = [...targetsByKey.values()].slice(0, maxLinkTargets);
  const visibility =
    targets.length === 0 ? [] : await callWorker((bookmark) => env.CONTENT.areShown({ visitor, targets }, bookmark));
  const visibleKeys = new Set(targets.filter((_, index) => visibility[index]).map(getTargetKey));
  return looks.map(({ settings, space }) =>
    toVisibleCustomization(settings, {
      isConditionMet: isShown,
      isTargetVisible: (to) => {
        const target = getTarget(to, space);
        return to.kind === 'url' || (target !== undefined && visibleKeys.has(getTargetKey(target)));
      },
    }),
  );
}

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
const selectScripts = (site: SiteId, organization: OrganizationId): Query<RecordOf<typeof scriptRow>> =>
  scriptRow.query(sql`SELECT ${scriptRow} FROM ${selectActive(site, organization)} AND ${hasScope('site:script:inject')}
    ORDER BY x.created_at, x.installation`);

/** SQL that holds if an active integration of the site can authenticate its visitors. */
export const canAuthenticate = (integration: string, site: SiteId, organization: OrganizationId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${selectActive(site, organization)} AND g.name = ${integration} AND ${hasScope('site:visitor:auth')})`;

const presentScript = (
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
