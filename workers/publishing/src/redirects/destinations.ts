import type { Database, Query, SiteRecord } from '@octavo/db';
import { computed, readRow, selection, statement } from '@octavo/db';
import { placeAddress, siteAddress } from '@octavo/runtime';
import type { RedirectDestination, SiteId } from '@octavo/schema';
import { redirectPath } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

interface DestinationPlace {
  id: string;
  section?: { path: string; isDefault: boolean } | undefined;
  siteSpace?: { path: string; isDefault: boolean } | undefined;
}

type Row = [id: string, section: string | null, isFirst: 0 | 1 | null, path: string | null, isDefault: 0 | 1 | null];

const placeOf = ([id, section, isFirst, path, isDefault]: Row): DestinationPlace => ({
  id,
  section: section === null ? undefined : { path: section, isDefault: isFirst === 1 },
  siteSpace: path === null ? undefined : { path, isDefault: isDefault === 1 },
});

const placesRow = selection({
  places: computed((value: string) => (JSON.parse(value) as Row[]).map(placeOf), sql`places`),
});

const placesOf = statement((site: SQL<SiteId>, ids: SQL<string>) =>
  placesRow.query(sql`
    SELECT (SELECT json_group_array(json(place)) FROM (
      SELECT json_array(sec.id, sec.path, sec.is_default, NULL, NULL) AS place FROM json_each(${ids}) asked
        CROSS JOIN site_sections sec ON sec.id = asked.value AND sec.site = ${site}
      UNION ALL
      SELECT json_array(ss.id, sec.path, sec.is_default, ss.path, ss.is_default) FROM json_each(${ids}) asked
        CROSS JOIN site_spaces ss ON ss.id = asked.value AND ss.site = ${site}
        LEFT JOIN site_sections sec ON sec.id = ss.section)) AS places`),
);

const idOf = (destination: RedirectDestination): string | undefined => {
  if (destination.kind === 'external') return undefined;
  return destination.kind === 'site-section' ? destination.siteSectionId : destination.siteSpaceId;
};

const idsOf = (destinations: RedirectDestination[]): string =>
  JSON.stringify([...new Set(destinations.flatMap((each) => idOf(each) ?? []))]);

/** Reads the places of a site that destinations name. */
export const destinationPlaces = (
  site: SiteId,
  destinations: RedirectDestination[],
): Query<{ places: DestinationPlace[] }> => placesOf(site, idsOf(destinations));

export const findPlaces = async (
  db: Database,
  site: SiteId,
  destination: RedirectDestination,
): Promise<DestinationPlace[]> => (await readRow(db, destinationPlaces(site, [destination])))?.places ?? [];

/** The sections and site spaces that destinations name are there when they are written. */
export const placesStay = (site: SiteId, destinations: RedirectDestination[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${idsOf(destinations)}) asked
  WHERE NOT EXISTS (SELECT 1 FROM site_sections sec WHERE sec.id = asked.value AND sec.site = ${site})
    AND NOT EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.id = asked.value AND ss.site = ${site}))`;

interface Leading {
  source: { source: string; wildcard: boolean };
  destination: RedirectDestination;
}

/** What is wrong with where a redirect leads; undefined where nothing is. */
export function faultOfDestination(
  { source, destination }: Leading,
  places: DestinationPlace[],
  { env, site }: { env: PublishingEnvironment; site: SiteRecord },
): string | undefined {
  const base = siteAddress(env, site);
  const place = places.find(({ id }) => id === idOf(destination));
  if (destination.kind === 'external')
    return isLedTo(source, pathBelow(base, destination.url)) ? 'leads to its own source' : undefined;
  const isFitting = place !== undefined && (destination.kind === 'site-section') === (place.siteSpace === undefined);
  if (!isFitting)
    return destination.kind === 'site-section' ? 'names no section of this site' : 'names no site space of this site';
  if (destination.kind === 'site-page') return undefined;
  return isLedTo(source, pathBelow(base, placeAddress(base, place))) ? 'leads to its own source' : undefined;
}

/** The path of an address of the site, from the site on; undefined for any other address. */
function pathBelow(base: string, address: string): string | undefined {
  const [own, other] = [new URL(base), new URL(address)];
  const start = own.pathname.replace(/\/$/, '');
  if (own.host !== other.host || !`${other.pathname}/`.startsWith(`${start}/`)) return undefined;
  return redirectPath(other.pathname.slice(start.length));
}

const isLedTo = ({ source, wildcard }: Leading['source'], path: string | undefined): boolean =>
  path !== undefined && (wildcard ? path.startsWith(`${source}/`) : path === source);
