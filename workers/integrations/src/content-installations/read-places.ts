import type { CallerRecord, Database } from '@octavo/db';
import {
  isActive,
  limitedRole,
  reachesSite,
  readRows,
  selection,
  siteRow,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
} from '@octavo/db';
import { presentSite, presentSpace, type Urls } from '@octavo/runtime';
import type { IntegrationScope, Site, Space } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isPerson } from '../installations/configured-by.ts';
import type { PlacedRecord, PlaceKind } from './content-installation.ts';

/** What reading whole spaces and sites takes. */
interface PlaceReader {
  db: Database;
  urls: Urls;
  actor: CallerRecord;
}

/** What an installation must hold one of, to be shown the whole of what it is installed on. */
const showing: Record<PlaceKind, IntegrationScope[]> = {
  space: ['space:metadata:read', 'space:metadata:write', 'space:content:read', 'space:content:write'],
  site: ['site:metadata:read'],
};

/** The spaces or sites of installations that the caller may read, by their ids: in one query for any number. */
export async function readPlaces(
  kind: PlaceKind,
  records: PlacedRecord[],
  reader: PlaceReader,
): Promise<Map<string, Space | Site>> {
  const { actor } = reader;
  const shown = records.filter(
    ({ scopes }) => isPerson(actor) || showing[kind].some((scope) => scopes.includes(scope)),
  );
  if (shown.length === 0) return new Map();
  const asked = shown.map(({ place, installation, account }) => [
    place,
    isPerson(actor) ? actor.id : account,
    installation,
  ]);
  const from = sql`FROM json_each(${JSON.stringify(asked)}) asked`;
  const scopes = new Map(shown.map((record) => [record.place, record.scopes]));
  const places = kind === 'space' ? await readSpaces(from, { scopes, ...reader }) : await readSites(from, reader);
  return new Map(places.map((place) => [place.id, place]));
}

const joinViewer = (table: SQL): SQL => sql`
  CROSS JOIN members m ON m.organization = ${table}.organization AND m.user = asked.value->>1
  CROSS JOIN organizations o ON o.id = m.organization`;

/** An installation acts where it is, whatever the sign-in there. */
const viewer = (actor: CallerRecord) => ({
  user: sql`m.user`,
  role: sql`m.role`,
  active: isActive(isPerson(actor) ? sql`${actor.organization}` : sql`m.organization`),
});

/** An integration sees each space by the scopes of its installation there. */
async function readSpaces(
  from: SQL,
  { scopes, db, urls, actor }: PlaceReader & { scopes: Map<string, IntegrationScope[]> },
): Promise<Space[]> {
  const columns = spaceWithRoleRow.with({ role: spaceRank(viewer(actor)) });
  const found = spaceWithRoleRow.query(sql`SELECT ${columns} ${from}
    CROSS JOIN spaces s ON s.id = asked.value->>0 AND s.deleted_at IS NULL AND s.purging_at IS NULL
    ${joinViewer(sql.raw('s'))} ${spaceJoins}`);
  const rows = await readRows(db, found);
  return rows
    .map(({ space, role }) => ({
      space,
      role: limitedRole({ ...actor, integrationScopes: scopes.get(space.id) ?? [] }, role),
    }))
    .filter(({ role }) => role !== null)
    .map(({ space, role }) => presentSpace(space, role, urls));
}

const wholeSite = selection({ site: siteRow.fields });

async function readSites(from: SQL, { db, urls, actor }: PlaceReader): Promise<Site[]> {
  const seen = isPerson(actor)
    ? sql`(m.role IS NOT NULL OR EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space
        AND s.deleted_at IS NULL AND s.organization = o.id WHERE ss.site = st.id AND ${spaceRank(viewer(actor))} > 0))`
    : sql`EXISTS (SELECT 1 FROM installations i WHERE i.id = asked.value->>2 AND ${reachesSite})`;
  const found = wholeSite.query(sql`SELECT ${wholeSite} ${from} CROSS JOIN sites st ON st.id = asked.value->>0
    ${joinViewer(sql.raw('st'))} WHERE ${viewer(actor).active} AND ${seen}`);
  return (await readRows(db, found)).map(({ site }) => presentSite(site, urls));
}
