import type { InstallationRecord, RecordOf } from '@octavo/db';
import {
  computed,
  grantedScopesField,
  installations,
  integrations,
  selection,
  siteInstallations,
  spaceInstallations,
} from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** What an integration is installed on beside an organization. */
export type PlaceKind = 'space' | 'site';

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

const fieldsOf = (x: Pick<typeof spaceInstallations, Shared> | Pick<typeof siteInstallations, Shared>) => ({
  installation: x.installation,
  organization: x.organization,
  status: x.status,
  configuration: x.configuration,
  externalIds: x.externalIds,
  createdAt: x.createdAt,
  updatedAt: x.updatedAt,
  account: i.account,
  integration: g.name,
  scopes: grantedScopesField(sql`i`, sql`g`),
  configurations: g.configurations,
});

type Shared = 'installation' | 'organization' | 'status' | 'configuration' | 'externalIds' | 'createdAt' | 'updatedAt';

const [onSpace, onSite] = [aliasedTable(spaceInstallations, 'x'), aliasedTable(siteInstallations, 'x')];

const spaceRow = selection({ place: computed(String, sql`x.space`), ...fieldsOf(onSpace) });
const siteRow = selection({ place: computed(String, sql`x.site`), ...fieldsOf(onSite) });

/** An installation on a space or a site, with what its integration asks for there. */
export type PlacedRecord = RecordOf<typeof spaceRow>;

/** Of installations on each kind of place: its table and column, and the record of `x`, `installations i` and `integrations g`. */
export const placeKinds = {
  space: { table: sql.raw('space_installations'), column: sql.raw('space'), row: spaceRow, name: 'space_installation' },
  site: { table: sql.raw('site_installations'), column: sql.raw('site'), row: siteRow, name: 'site_installation' },
} as const;

const live = sql`CROSS JOIN spaces there ON there.id = x.space AND there.deleted_at IS NULL`;

/** Joins what the record has of an installation on a place `x`: what lies in the trash is installed on as soon as it is back. */
export const joinInstallation = (kind: PlaceKind): SQL => sql`${kind === 'space' ? live : sql``}
  CROSS JOIN installations i ON i.id = x.installation
  CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL`;

/** Whom the configuration of an installation on a place is sealed for. */
export const placeOwner = (installation: string, place: string): string => `${installation}/${place}`;

/** Of an installation on a place that is being made. */
export const newPlaced = (place: string, of: InstallationRecord): Omit<PlacedRecord, 'configuration' | 'status'> => {
  const now = Date.now();
  return {
    place,
    installation: of.id,
    organization: of.organization,
    externalIds: [],
    createdAt: now,
    updatedAt: now,
    account: of.account,
    integration: of.integration.name,
    scopes: of.scopes,
    configurations: of.integration.configurations,
  };
};
