import type { CallerRecord, Database, InstallationRecord, RecordOf } from '@octavo/db';
import {
  canAccessSite,
  computed,
  createGrantedScopesField,
  installations,
  integrations,
  isActive,
  limitRole,
  readRow,
  readRows,
  selection,
  selectSpaceRank,
  siteInstallations,
  siteRow,
  spaceInstallations,
  spaceJoins,
  spaceWithRoleRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSite, presentSpace } from '@octavo/runtime';
import type { IntegrationScope, Site, Space } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { isPerson } from '../installations/presenter.ts';

/** The kinds of content that an integration can be installed on. */
export type ContentKind = 'space' | 'site';

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

const getFields = (x: Pick<typeof spaceInstallations, Shared> | Pick<typeof siteInstallations, Shared>) => ({
  installation: x.installation,
  organization: x.organization,
  status: x.status,
  configuration: x.configuration,
  externalIds: x.externalIds,
  createdAt: x.createdAt,
  updatedAt: x.updatedAt,
  account: i.account,
  integration: g.name,
  scopes: createGrantedScopesField(sql`i`, sql`g`),
  configurations: g.configurations,
});

type Shared = 'installation' | 'organization' | 'status' | 'configuration' | 'externalIds' | 'createdAt' | 'updatedAt';

const [onSpace, onSite] = [aliasedTable(spaceInstallations, 'x'), aliasedTable(siteInstallations, 'x')];

const onSpaceRow = selection({ place: computed(String, sql`x.space`), ...getFields(onSpace) });
const onSiteRow = selection({ place: computed(String, sql`x.site`), ...getFields(onSite) });

/** An installation on a space or a site, with the configuration that its integration declares. */
export type ContentInstallationRecord = RecordOf<typeof onSpaceRow>;

/**
 * Table, column and row of the installations on each kind of content. The row selects from `x`, `installations i` and
 * `integrations g`.
 */
export const contentKinds = {
  space: {
    table: sql.raw('space_installations'),
    column: sql.raw('space'),
    row: onSpaceRow,
    name: 'space_installation',
  },
  site: { table: sql.raw('site_installations'), column: sql.raw('site'), row: onSiteRow, name: 'site_installation' },
} as const;

const live = sql`CROSS JOIN spaces there ON there.id = x.space AND there.deleted_at IS NULL`;

/** Joins the installation and integration of `x`. Spaces in the trash are excluded. */
export const joinInstallation = (kind: ContentKind): SQL => sql`${kind === 'space' ? live : sql``}
  CROSS JOIN installations i ON i.id = x.installation
  CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL`;

/** Returns the owner for which the configuration of an installation on a space or a site is sealed. */
export const getSealOwner = (installation: string, contentId: string): string => `${installation}/${contentId}`;

/** Returns a new installation on a space or a site, without its configuration and status. */
export const createContentInstallation = (
  contentId: string,
  parentInstallation: InstallationRecord,
): Omit<ContentInstallationRecord, 'configuration' | 'status'> => {
  const now = Date.now();
  return {
    place: contentId,
    installation: parentInstallation.id,
    organization: parentInstallation.organization,
    externalIds: [],
    createdAt: now,
    updatedAt: now,
    account: parentInstallation.account,
    integration: parentInstallation.integration.name,
    scopes: parentInstallation.scopes,
    configurations: parentInstallation.integration.configurations,
  };
};

/** Reads an installation on a space or a site. @throws ApiError not_found */
export async function findContentInstallation(
  db: Database,
  kind: ContentKind,
  { installation, contentId }: { installation: string; contentId: string },
): Promise<ContentInstallationRecord> {
  const { table, column, row } = contentKinds[kind];
  const findInstalled = row.query(sql`SELECT ${row} FROM ${table} x ${joinInstallation(kind)}
    WHERE x.installation = ${installation} AND x.${column} = ${contentId}`);
  const record = await readRow(db, findInstalled);
  if (record === undefined) throw notFound(`installation on this ${kind}`);
  return record;
}

export interface ContentReader {
  db: Database;
  urls: Urls;
  actor: CallerRecord;
}

/** An installation needs one of these scopes to see the expanded space or site. */
const showing: Record<ContentKind, IntegrationScope[]> = {
  space: ['space:metadata:read', 'space:metadata:write', 'space:content:read', 'space:content:write'],
  site: ['site:metadata:read'],
};

/**
 * Reads the spaces or sites of installations by id, limited to those that the caller may see. Runs one query for any
 * number of ids.
 */
export async function readContents(
  kind: ContentKind,
  records: ContentInstallationRecord[],
  reader: ContentReader,
): Promise<Map<string, Space | Site>> {
  const { actor } = reader;
  const visibleRecords = records.filter(
    ({ scopes }) => isPerson(actor) || showing[kind].some((scope) => scopes.includes(scope)),
  );
  if (visibleRecords.length === 0) return new Map();
  const requests = visibleRecords.map(({ place, installation, account }) => [
    place,
    isPerson(actor) ? actor.id : account,
    installation,
  ]);
  const from = sql`FROM json_each(${JSON.stringify(requests)}) asked`;
  const scopes = new Map(visibleRecords.map((record) => [record.place, record.scopes]));
  const contents = kind === 'space' ? await readSpaces(from, { scopes, ...reader }) : await readSites(from, reader);
  return new Map(contents.map((content) => [content.id, content]));
}

const joinViewer = (table: SQL): SQL => sql`
  CROSS JOIN members m ON m.organization = ${table}.organization AND m.user = asked.value->>1
  CROSS JOIN organizations o ON o.id = m.organization`;

/** The sign-in policy of an organization does not apply to its installations. */
const createViewer = (actor: CallerRecord) => ({
  user: sql`m.user`,
  role: sql`m.role`,
  active: isActive(isPerson(actor) ? sql`${actor.organization}` : sql`m.organization`),
});

/** An integration sees each space with the scopes of its installation there. */
async function readSpaces(
  from: SQL,
  { scopes, db, urls, actor }: ContentReader & { scopes: Map<string, IntegrationScope[]> },
): Promise<Space[]> {
  const columns = spaceWithRoleRow.with({ role: selectSpaceRank(createViewer(actor)) });
  const selectSpaces = spaceWithRoleRow.query(sql`SELECT ${columns} ${from}
    CROSS JOIN spaces s ON s.id = asked.value->>0 AND s.deleted_at IS NULL AND s.purging_at IS NULL
    ${joinViewer(sql.raw('s'))} ${spaceJoins}`);
  const rows = await readRows(db, selectSpaces);
  return rows
    .map(({ space, role }) => ({
      space,
      role: limitRole({ ...actor, integrationScopes: scopes.get(space.id) ?? [] }, role),
    }))
    .filter(({ role }) => role !== null)
    .map(({ space, role }) => presentSpace(space, role, urls));
}

const wholeSite = selection({ site: siteRow.fields });

async function readSites(from: SQL, { db, urls, actor }: ContentReader): Promise<Site[]> {
  const isVisible = isPerson(actor)
    ? sql`(m.role IS NOT NULL OR EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space
        AND s.deleted_at IS NULL AND s.organization = o.id WHERE ss.site = st.id AND ${selectSpaceRank(createViewer(actor))} > 0))`
    : sql`EXISTS (SELECT 1 FROM installations i WHERE i.id = asked.value->>2 AND ${canAccessSite})`;
  const selectSites = wholeSite.query(sql`SELECT ${wholeSite} ${from} CROSS JOIN sites st ON st.id = asked.value->>0
    ${joinViewer(sql.raw('st'))} WHERE ${createViewer(actor).active} AND ${isVisible}`);
  return (await readRows(db, selectSites)).map(({ site }) => presentSite(site, urls));
}
