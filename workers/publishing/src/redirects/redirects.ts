import type { Check, Database, Parameter, Query, RedirectRecord, SiteRecord } from '@octavo/db';
import {
  commitChecked,
  computed,
  decodeCursor,
  isAfterCursor,
  matchText,
  paginateMatches,
  prepareQuery,
  prepareStatement,
  readRow,
  readRows,
  redirectRow,
  scanFields,
  scanRows,
  selection,
  siteRedirects,
} from '@octavo/db';
import { getLocationUrl, getSiteUrl } from '@octavo/runtime';
import type { RedirectDestination, SiteId } from '@octavo/schema';
import { conflict, createId, invalid, notFound, toRedirectPath, toStoredSource } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { getShownSource, presentRedirect } from '../resolution/locations.ts';
import { createSiteExistenceCheck } from '../sites/write-site.ts';

const listedRow = selection({ redirect: redirectRow.fields, ...scanFields });

export const listSiteRedirects = handler(
  'listSiteRedirects',
  async ({ query: { page, limit, search, draft } }, { db, site }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const { source, draft: isDraft } = listedRow.names.redirect;
    const isOfKind = draft ? sql`${isDraft} = 1` : sql`${isDraft} = 0`;
    const redirects = scanRows({
      columns: listedRow.getSQL(),
      from: sql`FROM site_redirects sr INDEXED BY site_redirects_by_age
      WHERE sr.site = ${site.id} AND ${isAfterCursor(cursor, sql`sr.created_at`, sql`sr.id`)}`,
      order: sql`sr.created_at DESC, sr.id DESC`,
      matches: search ? sql`(${isOfKind} AND ${matchText([source], search)})` : isOfKind,
      limit,
    });
    return paginateMatches(await readRows(db, listedRow.query(redirects)), limit, {
      item: ({ redirect }) => presentRedirect(redirect),
      getCursor: ({ redirect }) => [redirect.createdAt, redirect.id],
    });
  },
);

export const getSiteRedirectById = handler('getSiteRedirectById', async ({ params }, { db, site }) =>
  presentRedirect(await getSiteRedirect(db, site.id, params.siteRedirectId)),
);

export const createSiteRedirect = handler('createSiteRedirect', async ({ body }, context) => {
  const { db, site, commit } = context;
  const now = Date.now();
  const source = toStoredSource(body.source);
  const row = { ...body, ...source, id: createId('redirect'), site: site.id, createdAt: now, updatedAt: now };
  const targets = await findDestinationTargets(db, site.id, body.destination);
  const fault = findDestinationFault({ source, destination: body.destination }, targets, context);
  if (fault !== undefined) throw invalid([{ path: 'body.destination', message: fault }]);
  const checks = [...getRedirectChecks(site, [body.destination]), createSourceCheck(site, row)];
  const event = { site: site.id, redirect: row.id };
  await commitChecked(db, checks, (guards, outcome) =>
    commit(
      [...guards, db.insert(siteRedirects).values(row), ...outcome],
      [{ type: 'site_redirect.created', organization: site.organization, data: event }],
    ),
  );
  return presentRedirect(row);
});

export const updateSiteRedirectById = handler('updateSiteRedirectById', async ({ params, body }, context) => {
  const { db, site, commit } = context;
  const before = await getSiteRedirect(db, site.id, params.siteRedirectId);
  const source = toStoredSource(body.source ?? getShownSource(before));
  const changes = { ...body, ...source, updatedAt: Math.max(Date.now(), before.updatedAt + 1) };
  const row = {
    ...{ ...before, ...source, updatedAt: changes.updatedAt },
    draft: body.draft ?? before.draft,
    permanent: body.permanent ?? before.permanent,
    captureWildcard: body.captureWildcard ?? before.captureWildcard,
    destination: body.destination ?? before.destination,
  };
  if (body.source !== undefined || body.destination !== undefined) {
    const targets = await findDestinationTargets(db, site.id, row.destination);
    const fault = findDestinationFault({ source, destination: row.destination }, targets, context);
    if (fault !== undefined) throw invalid([{ path: 'body.destination', message: fault }]);
  }
  const redirectExists = sql`EXISTS (SELECT 1 FROM site_redirects WHERE id = ${row.id} AND site = ${site.id})`;
  const checks = [
    { condition: redirectExists, createError: () => notFound('redirect') },
    ...getRedirectChecks(site, body.destination === undefined ? [] : [body.destination]),
    createSourceCheck(site, row),
  ];
  const write = db.update(siteRedirects).set(changes).where(sql`id = ${row.id} AND site = ${site.id}`);
  const event = { site: site.id, redirect: row.id };
  await commitChecked(db, checks, (guards, outcome) =>
    commit(
      [...guards, write, ...outcome],
      [{ type: 'site_redirect.updated', organization: site.organization, data: event }],
    ),
  );
  return presentRedirect(row);
});

export const deleteSiteRedirectById = handler('deleteSiteRedirectById', async ({ params }, { db, site, commit }) => {
  const it = sql`id = ${params.siteRedirectId} AND site = ${site.id}`;
  const existsCheck = {
    condition: sql`EXISTS (SELECT 1 FROM site_redirects WHERE ${it})`,
    createError: () => notFound('redirect'),
  };
  const data = { site: site.id, redirect: params.siteRedirectId };
  await commitChecked(db, [existsCheck], (guards) =>
    commit(
      [...guards, db.delete(siteRedirects).where(it)],
      [{ type: 'site_redirect.deleted', organization: site.organization, data }],
    ),
  );
  return undefined;
});

const sr = aliasedTable(siteRedirects, 'sr');
const redirectById = prepareQuery(redirectRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select.from(sr).where(and(eq(sr.id, id), eq(sr.site, site))),
);

/** @throws ApiError not_found */
async function getSiteRedirect(db: Database, site: SiteId, id: string): Promise<RedirectRecord> {
  const redirect = await readRow(db, redirectById(site, id));
  if (redirect === undefined) throw notFound('redirect');
  return redirect;
}

const maxRedirects = 5000;

/**
 * Returns the checks of every write: the site and the destinations exist, and the site does not have too many
 * redirects.
 */
export const getRedirectChecks = (site: SiteRecord, destinations: RedirectDestination[]): Check[] => [
  createSiteExistenceCheck(site),
  {
    condition: matchDestinations(site.id, destinations),
    createError: () =>
      invalid([{ path: 'body.destination', message: 'must be a section, site space or page of this site' }]),
  },
  {
    condition: sql`(SELECT COUNT(*) FROM site_redirects WHERE site = ${site.id}) <= ${maxRedirects}`,
    createError: () => conflict(`A site can have at most ${maxRedirects} redirects.`),
    enforcedBy: 'outcome',
  },
];

interface RedirectSource {
  id: string;
  source: string;
  wildcard: boolean;
  draft: boolean;
}

/** Sources are unique among live redirects, and separately among drafts. */
const createSourceCheck = (site: SiteRecord, { id, source, wildcard, draft }: RedirectSource): Check => ({
  condition: sql`NOT EXISTS (SELECT 1 FROM site_redirects WHERE site = ${site.id} AND source = ${source}
    AND wildcard = ${Number(wildcard)} AND draft = ${Number(draft)} AND id <> ${id})`,
  enforcedBy: 'constraint',
  createError: () => conflict(`A redirect from ${source}${wildcard ? '/*' : ''} already exists.`),
});

interface DestinationTarget {
  id: string;
  section?: { path: string; isDefault: boolean } | undefined;
  siteSpace?: { path: string; isDefault: boolean } | undefined;
}

type Row = [id: string, section: string | null, isFirst: 0 | 1 | null, path: string | null, isDefault: 0 | 1 | null];

const toDestinationTarget = ([id, section, isFirst, path, isDefault]: Row): DestinationTarget => ({
  id,
  section: section === null ? undefined : { path: section, isDefault: isFirst === 1 },
  siteSpace: path === null ? undefined : { path, isDefault: isDefault === 1 },
});

const placesRow = selection({
  places: computed((value: string) => (JSON.parse(value) as Row[]).map(toDestinationTarget), sql`places`),
});

const targetsByIds = prepareStatement((site: SQL<SiteId>, ids: SQL<string>) =>
  placesRow.query(sql`
    SELECT (SELECT json_group_array(json(place)) FROM (
      SELECT json_array(sec.id, sec.path, sec.is_default, NULL, NULL) AS place FROM json_each(${ids}) asked
        CROSS JOIN site_sections sec ON sec.id = asked.value AND sec.site = ${site}
      UNION ALL
      SELECT json_array(ss.id, sec.path, sec.is_default, ss.path, ss.is_default) FROM json_each(${ids}) asked
        CROSS JOIN site_spaces ss ON ss.id = asked.value AND ss.site = ${site}
        LEFT JOIN site_sections sec ON sec.id = ss.section)) AS places`),
);

const getId = (destination: RedirectDestination): string | undefined => {
  if (destination.kind === 'external') return undefined;
  return destination.kind === 'site-section' ? destination.siteSectionId : destination.siteSpaceId;
};

const getIds = (destinations: RedirectDestination[]): string =>
  JSON.stringify([...new Set(destinations.flatMap((each) => getId(each) ?? []))]);

/** Selects the sections and site spaces that destinations name. */
export const selectDestinationTargets = (
  site: SiteId,
  destinations: RedirectDestination[],
): Query<{ places: DestinationTarget[] }> => targetsByIds(site, getIds(destinations));

const findDestinationTargets = async (
  db: Database,
  site: SiteId,
  destination: RedirectDestination,
): Promise<DestinationTarget[]> => (await readRow(db, selectDestinationTargets(site, [destination])))?.places ?? [];

/** SQL that holds if the sections and site spaces of destinations exist. */
const matchDestinations = (site: SiteId, destinations: RedirectDestination[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${getIds(destinations)}) asked
  WHERE NOT EXISTS (SELECT 1 FROM site_sections sec WHERE sec.id = asked.value AND sec.site = ${site})
    AND NOT EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.id = asked.value AND ss.site = ${site}))`;

interface RedirectEnds {
  source: { source: string; wildcard: boolean };
  destination: RedirectDestination;
}

/** Returns the error message for an invalid destination; undefined if it is valid. */
export function findDestinationFault(
  { source, destination }: RedirectEnds,
  targets: DestinationTarget[],
  { env, site }: { env: PublishingEnvironment; site: SiteRecord },
): string | undefined {
  const base = getSiteUrl(env, site);
  const target = targets.find(({ id }) => id === getId(destination));
  if (destination.kind === 'external')
    return isDestination(source, toRelativePath(base, destination.url))
      ? 'must not point to its own source'
      : undefined;
  const isFitting = target !== undefined && (destination.kind === 'site-section') === (target.siteSpace === undefined);
  if (!isFitting)
    return destination.kind === 'site-section' ? 'must be a section of this site' : 'must be a site space of this site';
  if (destination.kind === 'site-page') return undefined;
  return isDestination(source, toRelativePath(base, getLocationUrl(base, target)))
    ? 'must not point to its own source'
    : undefined;
}

/** Returns the path of a URL relative to the site; undefined if it is outside of the site. */
function toRelativePath(base: string, address: string): string | undefined {
  const [baseUrl, other] = [new URL(base), new URL(address)];
  const start = baseUrl.pathname.replace(/\/$/, '');
  if (baseUrl.host !== other.host || !`${other.pathname}/`.startsWith(`${start}/`)) return undefined;
  return toRedirectPath(other.pathname.slice(start.length));
}

const isDestination = ({ source, wildcard }: RedirectEnds['source'], path: string | undefined): boolean =>
  path !== undefined && (wildcard ? path.startsWith(`${source}/`) : path === source);
