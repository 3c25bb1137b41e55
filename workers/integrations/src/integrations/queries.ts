import type { CallerRecord, Cursor, Database, Query, RecordOf, VisibleIntegrationRecord } from '@octavo/db';
import {
  canInstallIn,
  countBytes,
  decodeCursor,
  fitExpressions,
  fitFields,
  fitRows,
  fromQuery,
  integrationRow,
  isActive,
  isAfterCursor,
  limitMembership,
  matchText,
  maxRowsScanned,
  paginateMatches,
  readRows,
  resolveOrganization,
  scanRows,
  selectInstallableOrganizations,
  selection,
  visibleIntegrationRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Integration, IntegrationFilters, List, OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { presentIntegration } from './presenter.ts';

type Reader = Pick<CallerRecord, 'id' | 'organization' | 'integration' | 'installation' | 'integrationScopes'>;

const selectOrganization = ({ organization }: Reader): SQL => sql`${organization}`;

/**
 * Selects the organizations whose private integrations the caller sees: those in which the caller has a role. An
 * installation has none.
 */
export const selectOrganizations = (caller: Reader): SQL => sql`
  SELECT m.organization FROM members m CROSS JOIN organizations o ON o.id = m.organization
  WHERE m.user = ${caller.id} AND ${caller.installation} IS NULL AND m.role IS NOT NULL AND ${isActive(selectOrganization(caller))}`;

/** The same condition as `isIntegration`. */
const belongsToCaller = ({ id, integration, installation }: Reader): SQL =>
  sql`(i.name IS ${integration} AND (${installation} IS NOT NULL OR i.account = ${id}))`;

/** SQL condition: the caller may read `integrations i`. */
export const isShownTo = (caller: Reader): SQL => sql`(i.visibility <> 'private'
  OR ${belongsToCaller(caller)} OR i.organization IN (${selectOrganizations(caller)}))`;

/** Returns the CTE of the organizations in which the caller may install. It is read once for all rows. */
const createOrganizationsCte = (caller: Reader): SQL =>
  sql`WITH places AS MATERIALIZED (${selectInstallableOrganizations(sql`${caller.id}`, selectOrganization(caller))})`;

/**
 * SQL condition: whether the caller may install integrations in an organization. Only then does the caller see
 * installation ids.
 */
export const mayInstallIn = (caller: Reader, organization: OrganizationId): SQL => sql`EXISTS (
  SELECT 1 FROM (${selectInstallableOrganizations(sql`${caller.id}`, selectOrganization(caller))}) p WHERE p.organization = ${organization})`;

/** The computed columns of `integrations i`, for a query that begins with `createOrganizationsCte`. */
const selectShownFields = (caller: Reader) => ({
  membership: { active: isActive(selectOrganization(caller)) },
  installs: canInstallIn(sql`places`),
});

/** Joins the owner of `integrations i` and the caller's membership there. */
const joinOwner = ({ id }: Reader): SQL => sql`CROSS JOIN organizations o ON o.id = i.organization
  LEFT JOIN members m ON m.organization = o.id AND m.user = ${id}`;

/** Replaces the membership in a row with the membership that the caller can use. */
export const limitRowMembership = <Row extends VisibleIntegrationRecord>(caller: Reader, row: Row): Row => ({
  ...row,
  membership: limitMembership(caller, row.membership),
});

/** Selects a published integration as the caller sees it. Pass the row to `limitRowMembership`. */
export const selectIntegration = (caller: Reader, name: string): Query<VisibleIntegrationRecord> =>
  visibleIntegrationRow.query(sql`${createOrganizationsCte(caller)} SELECT ${visibleIntegrationRow.with(selectShownFields(caller))} FROM integrations i
    ${joinOwner(caller)} WHERE i.name = ${name} AND i.unpublished_at IS NULL`);

type Filters = Partial<Omit<IntegrationFilters, 'page' | 'limit' | 'owner'>>;

/** The columns that filters use, of `integrations i`. */
const filteredColumns = sql`i.name, i.created_at, i.title, i.target, i.scopes, i.categories, i.block_domains,
  COALESCE(json_array_length(i.blocks), 0) > 0 AS has_blocks,
  COALESCE(json_array_length(i.content_sources), 0) > 0 AS has_content_sources`;

const includesValue = (list: SQL, value: string): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${list}) e WHERE e.value = ${value})`;

/** Whether `block_domains` contains the domain, or a pattern such as `*.example.com` that matches it. */
const matchesDomain = (domain: string): SQL => sql`EXISTS (SELECT 1 FROM json_each(block_domains) e
  WHERE e.value = ${domain} OR (substr(e.value, 1, 2) = '*.' AND substr(${domain}, 1 - length(e.value)) = substr(e.value, 2)))`;

const conditions: { [Name in keyof Filters]-?: (value: Exclude<Filters[Name], undefined>) => SQL } = {
  search: (words) => matchText([sql`name`, sql`title`], words),
  category: (category) => includesValue(sql`categories`, category),
  blockDomain: (domain) => matchesDomain(domain.toLowerCase()),
  blocks: (isSet) => sql`has_blocks = ${isSet ? 1 : 0}`,
  contentSources: (isSet) => sql`has_content_sources = ${isSet ? 1 : 0}`,
  scope: (scope) => includesValue(sql`scopes`, scope),
  target: (target) => sql`target = ${target}`,
};

/** Returns the condition of a list's filters on rows with `filteredColumns`, or undefined without filters. */
export function createMatches(filters: Filters): SQL | undefined {
  const conditionsOfFilters = (Object.keys(conditions) as (keyof Filters)[]).flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [(conditions[name] as (value: unknown) => SQL)(value)];
  });
  return conditionsOfFilters.length === 0 ? undefined : sql.join(conditionsOfFilters, sql` AND `);
}

const listedRow = selection({ ...visibleIntegrationRow.fields, ...fitFields });
type ListedRecord = RecordOf<typeof listedRow>;

interface Listing {
  db: Database;
  actor: CallerRecord;
  urls: Urls;
}

interface Reading {
  cursor: Cursor | undefined;
  /** The condition of the filters. */
  matches: SQL | undefined;
  limit: number;
}

/**
 * Lists public integrations, and the other integrations of the given organizations, newest first. Each of the two lists
 * is read by its own index. So private integrations of other organizations are never read, and affect neither the
 * duration nor the number of rows read.
 * @param own selects the ids of organizations, as `organization`
 */
export async function findListed(
  { db, actor, urls }: Listing,
  { page, limit, owner, ...filters }: IntegrationFilters,
  ownCondition: SQL,
): Promise<List<Integration>> {
  const cursor = decodeCursor(page, ['number', 'string']);
  const keyOptions = { cursor, matches: createMatches(filters), limit };
  const byOwner = sql`integrations i INDEXED BY integrations_of_organization`;
  const owned = owner === undefined ? undefined : sql`${await resolveOrganization(db, owner)}`;
  const shared = owned === undefined ? sql`integrations i INDEXED BY integrations_public` : byOwner;
  const ofOwn =
    owned === undefined
      ? ownCondition
      : sql`SELECT x.organization FROM (${ownCondition}) x WHERE x.organization = ${owned}`;
  const keys = sql`SELECT * FROM (${selectKeys(
    sql`${shared} WHERE i.visibility = 'public' AND ${owned === undefined ? sql`1` : sql`i.organization = ${owned}`}`,
    keyOptions,
  )}) UNION ALL SELECT * FROM (${selectKeys(
    sql`${byOwner} WHERE i.organization IN (${ofOwn}) AND i.visibility IN ('private', 'unlisted')`,
    keyOptions,
  )}) ORDER BY created_at DESC, name DESC LIMIT ${limit + 1}`;
  return getPage(await readRows(db, selectListedIntegrations(keys, actor)), limit, { actor, urls });
}

/** Reads rows in the order of an index until the page is full. */
const selectKeys = (from: SQL, { cursor, matches, limit }: Reading): SQL => sql`
  SELECT l.name, l.created_at, l.matches, l.place, l.size FROM (${scanRows({
    columns: sql`${filteredColumns}, ${countBytes(integrationRow.fields)} AS size`,
    from: sql`FROM ${from} AND i.unpublished_at IS NULL AND ${isAfterCursor(cursor, sql`i.created_at`, sql`i.name`)}`,
    order: sql`i.created_at DESC, i.name DESC`,
    matches,
    limit,
  })}) l`;

const selectListedIntegrations = (keys: SQL, actor: CallerRecord): Query<ListedRecord> =>
  listedRow.query(sql`${createOrganizationsCte(actor)}
    SELECT ${listedRow.with({ ...selectShownFields(actor), ...fitExpressions })}
    FROM (${fitRows({ match: keys, order: sql`f.created_at DESC, f.name DESC` })}) l
    CROSS JOIN integrations i ON i.name = l.name ${joinOwner(actor)}
    ORDER BY l.created_at DESC, l.name DESC`);

/** If one list stopped at its maximum of scanned rows, later rows are incomplete and belong to the next page. */
function getPage(
  rows: ListedRecord[],
  limit: number,
  { actor, urls }: Pick<Listing, 'actor' | 'urls'>,
): List<Integration> {
  const end = rows.findIndex(({ place }) => place === maxRowsScanned);
  return paginateMatches(end === -1 ? rows : rows.slice(0, end + 1), limit, {
    item: (row) => presentIntegration(limitRowMembership(actor, row), urls),
    getCursor: ({ integration: { createdAt, name } }) => [createdAt, name],
  });
}

const installedRow = selection({
  ...visibleIntegrationRow.fields,
  ...fitFields,
  installation: fromQuery(String),
  installedAt: fromQuery(Number),
});

interface InstalledLookup {
  page?: string | undefined;
  limit: number;
  search?: string | undefined;
}

/**
 * Lists the integrations that are active on a space or a site, newest installations first. A private one is shown to
 * its owner only.
 * @param from installations `n` on the space or site, by their index
 */
export async function listInstalled(
  { db, actor, urls }: Listing,
  { page, limit, search }: InstalledLookup,
  { from, organization }: { from: SQL; organization: OrganizationId },
): Promise<List<Integration>> {
  const cursor = decodeCursor(page, ['number', 'string']);
  const result = scanRows({
    columns: sql`${filteredColumns}, n.installation AS installation, n.created_at AS installed_at,
      ${countBytes(integrationRow.fields)} AS size`,
    from: sql`FROM ${from} AND n.organization = ${organization} AND n.status = 'active'
        AND i.unpublished_at IS NULL AND ${isShownTo(actor)}
        AND ${isAfterCursor(cursor, sql`n.created_at`, sql`n.installation`)}`,
    order: sql`n.created_at DESC, n.installation DESC`,
    matches: search === undefined ? undefined : createMatches({ search }),
    limit,
  });
  const keys = fitRows({
    match: sql`SELECT l.name, l.installation, l.installed_at, l.matches, l.place, l.size FROM (${result}) l`,
    order: sql`f.installed_at DESC, f.installation DESC`,
  });
  const expressions = { ...selectShownFields(actor), ...fitExpressions };
  const rows = await readRows(
    db,
    installedRow.query(sql`${createOrganizationsCte(actor)}
      SELECT ${installedRow.with({ ...expressions, installation: sql`l.installation`, installedAt: sql`l.installed_at` })}
      FROM (${keys}) l CROSS JOIN integrations i ON i.name = l.name ${joinOwner(actor)}
      ORDER BY l.installed_at DESC, l.installation DESC`),
  );
  return paginateMatches(rows, limit, {
    item: (row) => presentIntegration(limitRowMembership(actor, row), urls),
    getCursor: ({ installedAt, installation }) => [installedAt, installation],
  });
}

/** Reads integrations by name, as the caller sees them. Runs one query for any number of names. */
export async function readVisibleIntegrations(
  db: Database,
  caller: CallerRecord,
  names: string[],
): Promise<Map<string, VisibleIntegrationRecord>> {
  if (names.length === 0) return new Map();
  const selectIntegrations = visibleIntegrationRow.query(sql`${createOrganizationsCte(caller)}
    SELECT ${visibleIntegrationRow.with(selectShownFields(caller))}
    FROM (SELECT DISTINCT value AS name FROM json_each(${JSON.stringify(names)})) named
    CROSS JOIN integrations i ON i.name = named.name AND i.unpublished_at IS NULL ${joinOwner(caller)}`);
  const rows = await readRows(db, selectIntegrations);
  return new Map(rows.map((row) => [row.integration.name, limitRowMembership(caller, row)]));
}
