import type {
  InstallationSelection,
  InstallationStatus,
  OrganizationId,
  SiteId,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { ExternalIds, IntegrationScopes } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './fields.ts';

/** An integration as it is installed in an organization. Times are milliseconds. */
export const installations = sqliteTable('installations', {
  id: text('id').primaryKey(),
  /** The integration's name, as the integration is written. */
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  /** Under which it acts in the organization. */
  account: text('account').$type<UserId>().notNull(),
  status: text('status').$type<InstallationStatus>().notNull(),
  /** What its organization agreed to: what its integration asks for beyond that counts for nothing. */
  scopes: storedJson('scopes', IntegrationScopes).notNull().default([]),
  /** The version of the integration that it agreed to them at. */
  agreedVersion: integer('agreed_version').notNull().default(0),
  spaceSelection: text('space_selection').$type<InstallationSelection>().notNull().default('all'),
  siteSelection: text('site_selection').$type<InstallationSelection>().notNull().default('all'),
  /** Sealed for the installation's id. */
  configuration: text('configuration').notNull(),
  /** Sealed for the installation's id. */
  signingSecret: text('signing_secret').notNull(),
  externalIds: storedJson('external_ids', ExternalIds).notNull().default([]),
  /** A count of those that are not in the trash, kept by triggers and by what trashes them. */
  spaces: integer('spaces').notNull().default(0),
  /** How many spaces and sites it is on, those in the trash too: counts that it is bounded by. */
  onSpaces: integer('on_spaces').notNull().default(0),
  onSites: integer('on_sites').notNull().default(0),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** What an installation on a space, and one on a site, both have. */
const contentInstallation = {
  installation: text('installation').notNull(),
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  status: text('status').$type<InstallationStatus>().notNull(),
  /** Sealed for the installation's id. */
  configuration: text('configuration').notNull(),
  externalIds: storedJson('external_ids', ExternalIds).notNull().default([]),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
};

export const spaceInstallations = sqliteTable(
  'space_installations',
  { ...contentInstallation, space: text('space').$type<SpaceId>().notNull() },
  (table) => [primaryKey({ columns: [table.installation, table.space] })],
);

export const siteInstallations = sqliteTable(
  'site_installations',
  { ...contentInstallation, site: text('site').$type<SiteId>().notNull() },
  (table) => [primaryKey({ columns: [table.installation, table.site] })],
);

/** Kept by triggers from the `external_ids` of the three. */
export const installationExternalIds = sqliteTable(
  'installation_external_ids',
  {
    integration: text('integration').notNull(),
    kind: text('kind').$type<'installation' | 'space' | 'site'>().notNull(),
    externalId: text('external_id').notNull(),
    createdAt: integer('created_at').notNull(),
    installation: text('installation').notNull(),
    /** Empty for an installation, else the id of the space or the site. */
    target: text('target').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.integration, table.kind, table.externalId, table.createdAt, table.installation, table.target],
    }),
  ],
);
