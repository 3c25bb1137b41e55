import type { Database, RecordOf, Statement } from '@octavo/db';
import {
  computed,
  installations,
  must,
  removeAccount,
  selection,
  siteInstallations,
  spaceInstallations,
} from '@octavo/db';
import type { InstallationStatus, NewEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { PlaceKind } from '../content-installations/content-installation.ts';
import { placedEvent } from '../content-installations/present-placed.ts';

/** What an installation is on, as one text: what is read of it is told, and has to be there still when it ends. */
const placesOf = (installation: SQL): SQL => sql`(
  SELECT json_group_array(json_array(kind, place, status)) FROM (
    SELECT 'space' AS kind, space AS place, status FROM space_installations WHERE installation = ${installation}
    UNION ALL SELECT 'site', site, status FROM site_installations WHERE installation = ${installation} ORDER BY 1, 2))`;

const i = aliasedTable(installations, 'i');

/** An installation that ends. Of `installations i`. */
export const endingRow = selection({
  ...{ id: i.id, integration: i.integration, organization: i.organization, account: i.account, status: i.status },
  places: computed(String, placesOf(sql`i.id`)),
});
export type EndingRecord = RecordOf<typeof endingRow>;

type EndingPlace = [kind: PlaceKind, place: string, status: InstallationStatus];

/** The spaces and sites that it is on. */
export const endingPlaces = ({ places }: EndingRecord): EndingPlace[] => JSON.parse(places) as EndingPlace[];

/**
 * Ends an installation with all that it has. It is on so many spaces and sites at most (`maxPlaces`) that one batch takes
 * them along, and is refused where they are others by now than were read.
 */
export const removeInstallation = (db: Database, ending: EndingRecord): Statement[] => [
  must(db, sql`${placesOf(sql`${ending.id}`)} = ${ending.places}`),
  must(db, sql`EXISTS (SELECT 1 FROM installations WHERE id = ${ending.id})`),
  ...removeAccount(db, ending),
  db.delete(spaceInstallations).where(eq(spaceInstallations.installation, ending.id)),
  db.delete(siteInstallations).where(eq(siteInstallations.installation, ending.id)),
  db.delete(installations).where(eq(installations.id, ending.id)),
];

/** What tells of its end: on each space and site, and then as a whole. */
export function eventsOfEnd(ending: EndingRecord): NewEvent[] {
  const { id: installation, integration, organization, status } = ending;
  const told = endingPlaces(ending).map(([kind, place, status]) =>
    placedEvent(kind, 'deleted', { installation, integration, organization, status, place }),
  );
  return [...told, { type: 'installation.deleted', organization, data: { installation, integration, status } }];
}
