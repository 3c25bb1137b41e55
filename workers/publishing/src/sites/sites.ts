import type { CallerRecord, Check, Database, ListingMember, Statement } from '@octavo/db';
import {
  canAccessSite,
  commitChecked,
  decodeCursor,
  deleteSite,
  isAfterCursor,
  matchText,
  paginateMatches,
  readRows,
  scanFields,
  scanRows,
  selection,
  selectSpaceRank,
  selectVisibleToGuest,
  siteRow,
  sites,
  toListingMember,
} from '@octavo/db';
import { isOwnHost, presentSite } from '@octavo/runtime';
import type { BodyOf, OrganizationId, publishing, QueryOf, SiteId } from '@octavo/schema';
import { conflict, invalid, targetNotFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { createSectionCheck, makeDefault } from '../site-spaces/site-spaces.ts';
import { readStructureView } from '../structure/queries.ts';
import { omitIfEmpty } from '../structure/write-structure.ts';
import { createSiteExistenceCheck, createStamp, writeSite } from './write-site.ts';

type ListSites = typeof publishing.listSites;

const listedRow = selection({ site: siteRow.fields, ...scanFields });

/** Selects the sites of an organization that match the filters and the further conditions. */
function selectSites(organization: SQL, query: QueryOf<ListSites>, conditions: SQL[]) {
  const { page, limit, title } = query;
  const cursor = decodeCursor(page, ['number', 'string']);
  const sites = scanRows({
    columns: sql`${listedRow}`,
    from: sql`FROM sites st CROSS JOIN organizations o ON o.id = st.organization
      WHERE st.organization = ${organization} AND ${isAfterCursor(cursor, sql`st.created_at`, sql`st.id`)}
        AND ${sql.join([...createFilters(query), ...conditions], sql` AND `)}`,
    order: sql`st.created_at DESC, st.id DESC`,
    matches: title ? matchText([listedRow.names.site.title], title) : undefined,
    limit,
  });
  return listedRow.query(sites);
}

/** Lists sites. For guests and installations, which see few sites, this takes another round trip. */
export const listSites = handler('listSites', {
  reads: ({ query }, { asMember, installation }) =>
    asMember === null || installation !== null ? [] : [selectSites(sql`${asMember}`, query, [])],
  async handle({ query }, { db, organization: { id }, membership, actor, urls }, rows) {
    const conditions = isSeenBy(toListingMember(actor.id, membership.role), id, actor);
    const seen = conditions.length === 0 ? rows : await readRows(db, selectSites(sql`${id}`, query, conditions));
    return paginateMatches(seen, query.limit, {
      item: ({ site }) => presentSite(site, urls),
      getCursor: ({ site }) => [site.createdAt, site.id],
    });
  },
});

const createFilters = ({ space, published, type }: QueryOf<ListSites>): SQL[] => [
  published === undefined ? sql`1` : sql`st.published = ${published ? 1 : 0}`,
  ...(type === undefined ? [] : [sql`st.type IN (SELECT value FROM json_each(${JSON.stringify(type)}))`]),
  ...(space === undefined
    ? []
    : [sql`EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.space = ${space} AND ss.site = st.id)`]),
];

/** Limits guests to sites with a space they can see, and installations to sites they are installed on. */
const isSeenBy = (member: ListingMember, organization: OrganizationId, { installation }: CallerRecord): SQL[] => {
  if (installation !== null)
    return [sql`EXISTS (SELECT 1 FROM installations i WHERE i.id = ${installation} AND ${canAccessSite})`];
  return member.isGuest
    ? [
        sql`st.id IN (SELECT ss.site FROM (${selectVisibleToGuest(sql`${organization}`, member)}) reached
          CROSS JOIN site_spaces ss INDEXED BY site_spaces_by_space ON ss.space = reached.id
          CROSS JOIN spaces s ON s.id = ss.space AND s.organization = ${organization} AND s.deleted_at IS NULL
          WHERE ${selectSpaceRank(member)} > 0)`,
      ]
    : [];
};

/** Visitors get the number of site spaces that they can see. */
export const getSiteById = handler('getSiteById', async (_, context) => {
  const { site, visitor, urls } = context;
  if (visitor === undefined) return presentSite(site, urls);
  const { structure } = await readStructureView(context, undefined);
  return presentSite(site, urls, { siteSpaces: structure.siteSpaces.length });
});

type UpdateSite = typeof publishing.updateSiteById;

export const updateSiteById = handler('updateSiteById', async ({ body }, context) => {
  const { db, env, site, urls } = context;
  rejectOwnHosts(env, body);
  const statements = [...createChanges(db, site.id, body), ...getDefaults(db, site.id, body)];
  if (statements.length === 0) return presentSite(site, urls);
  const checks = [...createAddressChecks(site, body), ...createDefaultChecks(site.id, body)];
  return presentSite(await writeSite(context, { type: 'site.updated', checks }, statements), urls);
});

/** A new visibility also renews the stamp, which invalidates visitor tokens. */
function createChanges(db: Database, id: SiteId, body: BodyOf<UpdateSite>): Statement[] {
  const { title, visibility, basename, adaptiveContent, agentsContext, proxy, hostname } = body;
  const adaptive = adaptiveContent?.enabled;
  const fields = omitIfEmpty({
    title,
    visibility,
    basename,
    adaptive,
    agentsContext,
    proxy: toLowerHost(proxy),
    hostname,
  });
  if (fields === undefined) return [];
  const stamp = visibility && sql`CASE WHEN visibility = ${visibility} THEN stamp ELSE ${createStamp()} END`;
  return [
    db
      .update(sites)
      .set({ ...fields, stamp })
      .where(eq(sites.id, id)),
  ];
}

function createDefaultChecks(
  site: SiteId,
  { defaultSiteSection: section, defaultSiteSpace: siteSpace }: BodyOf<UpdateSite>,
): Check[] {
  const isOfSite: Check = {
    condition: sql`EXISTS (SELECT 1 FROM site_sections WHERE id = ${section ?? null} AND site = ${site})`,
    createError: () => targetNotFound('defaultSiteSection', 'section'),
  };
  const level = sql`COALESCE(${section ?? null}, (SELECT id FROM site_sections WHERE site = ${site} AND is_default = 1), '')`;
  return [
    ...(section === undefined ? [] : [isOfSite]),
    ...(siteSpace === undefined ? [] : [createSectionCheck(site, siteSpace, level)]),
  ];
}

const getDefaults = (
  db: Database,
  site: SiteId,
  { defaultSiteSection, defaultSiteSpace }: BodyOf<UpdateSite>,
): Statement[] => [
  ...(defaultSiteSection === undefined
    ? []
    : [
        db.run(sql`UPDATE site_sections SET is_default = 0 WHERE site = ${site} AND is_default = 1`),
        db.run(sql`UPDATE site_sections SET is_default = 1 WHERE id = ${defaultSiteSection} AND site = ${site}`),
      ]),
  ...(defaultSiteSpace === undefined ? [] : makeDefault(db, site, defaultSiteSpace)),
];

export const publishSite = handler('publishSite', async (_, context) => {
  const { db, site, urls } = context;
  const publish = db.update(sites).set({ published: true }).where(eq(sites.id, site.id));
  return presentSite(await writeSite(context, { type: 'site.published' }, [publish]), urls);
});

export const unpublishSite = handler('unpublishSite', async (_, context) => {
  const { db, site, urls } = context;
  const unpublish = db.update(sites).set({ published: false, stamp: createStamp() }).where(eq(sites.id, site.id));
  return presentSite(await writeSite(context, { type: 'site.unpublished' }, [unpublish]), urls);
});

/** Deletes the site with its structure, but not its spaces. */
export const deleteSiteById = handler('deleteSiteById', async (_, { db, site, commit }) => {
  const event = { type: 'site.deleted', organization: site.organization, data: { site: site.id } } as const;
  const deleted = deleteSite(db, site);
  await commitChecked(db, [createSiteExistenceCheck(site)], (guards) =>
    commit([...guards, ...deleted.statements], [...deleted.events, event]),
  );
  return undefined;
});

type Addresses = Pick<BodyOf<typeof publishing.updateSiteById>, 'basename' | 'hostname' | 'proxy'>;

const toLowerHost = (proxy: string | null | undefined) =>
  proxy?.replace(/^[^/]*/, (host) => host.toLowerCase()) ?? proxy;

const getHosts = ({ hostname, proxy }: Addresses): [field: 'hostname' | 'proxy', host: string][] => [
  ...(hostname == null ? [] : [['hostname', hostname] as ['hostname', string]]),
  ...(proxy == null ? [] : [['proxy', proxy.replace(/\/.*$/, '').toLowerCase()] as ['proxy', string]]),
];

/** Rejects hosts of the server or of organizations. @throws ApiError invalid */
function rejectOwnHosts(env: PublishingEnvironment, body: Addresses): void {
  const ownHosts = getHosts(body).filter(([, host]) => isOwnHost(env, host));
  if (ownHosts.length > 0)
    throw invalid(ownHosts.map(([field]) => ({ path: `body.${field}`, message: 'must not be a host of this server' })));
}

interface Addressed {
  id: SiteId;
  organization: OrganizationId;
}

function createAddressChecks({ id, organization }: Addressed, body: Addresses): Check[] {
  const createAddressCheck = (column: string, value: string | null | undefined, message: string): Check => ({
    condition: sql`NOT EXISTS (SELECT 1 FROM sites WHERE ${sql.raw(column)} = ${value ?? null} AND id <> ${id}
      AND (${column} <> 'basename' OR organization = ${organization}))`,
    createError: () => conflict(message),
    enforcedBy: 'constraint',
  });
  return [
    createAddressCheck('basename', body.basename, 'Another site of the organization already has this basename.'),
    createAddressCheck('hostname', body.hostname, 'Another site already has this hostname.'),
    createAddressCheck('proxy', toLowerHost(body.proxy), 'Another site already has this proxy address.'),
    ...getHosts(body).map(([, host]) => createHostCheck(organization, host)),
  ];
}

/**
 * Checks that no other organization uses the host. Values between 'host/' and 'host0' are proxies at a path of the
 * host.
 */
const createHostCheck = (organization: OrganizationId, host: string): Check => ({
  condition: sql`NOT EXISTS (SELECT 1 FROM sites WHERE hostname = ${host} AND organization <> ${organization})
    AND NOT EXISTS (SELECT 1 FROM sites
      WHERE proxy >= ${`${host}/`} AND proxy < ${`${host}0`} AND organization <> ${organization})`,
  createError: () => conflict(`The host ${host} belongs to a site of another organization.`),
});
