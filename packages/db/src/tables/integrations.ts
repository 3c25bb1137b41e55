import type {
  ComputedVersionId,
  InstallationSelection,
  InstallationStatus,
  IntegrationTarget,
  IntegrationVisibility,
  OrganizationId,
  SiteId,
  SpaceId,
  UserId,
} from '@octavo/schema';
import {
  ComputedSource,
  ContentSecurityPolicy,
  ExternalIds,
  IntegrationBlocks,
  IntegrationCategories,
  IntegrationConfigurations,
  IntegrationContentSources,
  IntegrationDomains,
  IntegrationEvents,
  IntegrationLinks,
  IntegrationScopes,
  IntegrationScopesSince,
  IntegrationTask,
  LinkTarget,
  LoggedEvent,
  ObjectKeys,
  ScriptLogs,
} from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

/** Times are milliseconds. One that has `unpublishedAt` is there for nobody. */
export const integrations = sqliteTable('integrations', {
  /** Compared without regard to case. */
  name: text('name').primaryKey(),
  /** The owner. */
  organization: text('organization').$type<OrganizationId>().notNull(),
  /** The user that the integration itself calls as. */
  account: text('account').$type<UserId>().notNull(),
  version: integer('version').notNull().default(1),
  title: text('title').notNull(),
  description: text('description').notNull().default(''),
  summary: text('summary'),
  target: text('target').$type<IntegrationTarget>().notNull().default('all'),
  visibility: text('visibility').$type<IntegrationVisibility>().notNull().default('private'),
  verified: integer('verified', { mode: 'boolean' }).notNull().default(false),
  runtime: text('runtime').$type<'v1' | 'v2'>().notNull().default('v1'),
  scopes: storedJson('scopes', IntegrationScopes).notNull().default([]),
  /** The version that each of them came with, anew where it was gone before. */
  scopesSince: storedJson('scopes_since', IntegrationScopesSince).notNull().default({}),
  categories: storedJson('categories', IntegrationCategories).notNull().default([]),
  blocks: storedJson('blocks', IntegrationBlocks),
  /** The domains whose addresses become one of its blocks; `*.` before one stands for those below it. */
  blockDomains: storedJson('block_domains', IntegrationDomains).notNull().default([]),
  contentSources: storedJson('content_sources', IntegrationContentSources),
  configurations: storedJson('configurations', IntegrationConfigurations),
  externalLinks: storedJson('external_links', IntegrationLinks).notNull().default([]),
  contentSecurityPolicy: storedJson('content_security_policy', ContentSecurityPolicy),
  /** The types of events that it wants of those that its scopes allow; null: all. */
  events: storedJson('events', IntegrationEvents),
  /** Where events of its installations are posted to. */
  webhook: text('webhook'),
  /** Keys of objects: the icon, the images and the script of the newest version. */
  icon: text('icon'),
  previewImages: storedJson('preview_images', ObjectKeys).notNull().default([]),
  script: text('script').notNull(),
  /** An object of texts, sealed for the integration by its name. */
  secrets: text('secrets'),
  /** A text, sealed likewise. */
  signingSecret: text('signing_secret').notNull(),
  /** In development: where its script runs for its owner. */
  devUrl: text('dev_url'),
  /** Until then. */
  devUntil: integer('dev_until'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  unpublishedAt: integer('unpublished_at'),
  /** Where the look at what is pending goes on, which another version begins. */
  settlingFrom: text('settling_from'),
});

/** Every object that holds a script or an image, written down before it is uploaded. */
export const integrationObjects = sqliteTable('integration_objects', {
  key: text('key').primaryKey(),
  /** When it goes, unless something refers to it by then; null while something does. */
  sweepAt: integer('sweep_at'),
});

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

/** The computed pages of live contents that integrations make pages of. Times are milliseconds. */
export const computedContents = sqliteTable(
  'computed_contents',
  {
    space: text('space').$type<SpaceId>().notNull(),
    /** The computed page. */
    page: text('page').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    integration: text('integration').notNull(),
    source: storedJson('source', ComputedSource).notNull(),
    /** Of the pages that are shown; null where there are none. */
    version: text('version').$type<ComputedVersionId>(),
    /** SHA-256 of them. */
    hash: text('hash'),
    computedAt: integer('computed_at').notNull().default(0),
    dueAt: integer('due_at').notNull(),
    /** When making its pages began last. */
    takenAt: integer('taken_at').notNull().default(0),
    /** Until then one taker has it. What made it due meanwhile is seen by a `dueAt` before that. */
    leasedUntil: integer('leased_until').notNull().default(0),
    /** A version that is shown no more, the entries of which are to go yet. */
    former: text('former').$type<ComputedVersionId>(),
    /** Since the last success, one that is under way among them; and why the last one. */
    failures: integer('failures').notNull().default(0),
    error: text('error'),
  },
  (table) => [primaryKey({ columns: [table.space, table.page] })],
);

/** The pages of a version, each after the one that it stands below, which its `parent` is the ordinal of. */
export const computedEntries = sqliteTable(
  'computed_entries',
  {
    version: text('version').$type<ComputedVersionId>().notNull(),
    ordinal: integer('ordinal').notNull(),
    parent: integer('parent'),
    /** No two pages beside each other have the same, nor two links, which have it for their ids alone. */
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    description: text('description').notNull().default(''),
    icon: text('icon'),
    /** Markdown. */
    text: text('text').notNull().default(''),
    emoji: text('emoji'),
    /** Where it leads, of a link. */
    target: storedJson('target', LinkTarget),
  },
  (table) => [primaryKey({ columns: [table.version, table.ordinal] })],
);

/** What the computed pages depend on that integrations make pages of: found by what changes. */
export const computedDependencies = sqliteTable(
  'computed_dependencies',
  {
    kind: text('kind').notNull(),
    /** The id of a space, or the slug of a specification. */
    target: text('target').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.target, table.organization, table.space, table.page] })],
);

/** A run of an integration's script. Times are milliseconds. */
export const integrationEvents = sqliteTable('integration_events', {
  id: text('id').primaryKey(),
  integration: text('integration').notNull(),
  /** The owner of the integration. */
  organization: text('organization').$type<OrganizationId>().notNull(),
  installation: text('installation'),
  createdAt: integer('created_at').notNull(),
  payload: storedJson('payload', LoggedEvent).notNull(),
  status: text('status').$type<'success' | 'failed'>().notNull(),
  error: text('error'),
  logs: storedJson('logs', ScriptLogs).notNull(),
});

/** What an integration wants to be called for, at its time. */
export const integrationTasks = sqliteTable('integration_tasks', {
  id: text('id').primaryKey(),
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  task: storedJson('task', IntegrationTask).notNull(),
  /** When it is its turn next, as long as it is here. */
  runAt: integer('run_at').notNull(),
  attempts: integer('attempts').notNull().default(0),
  /** Of the run that asked for it. */
  depth: integer('depth').notNull().default(0),
  createdAt: integer('created_at').notNull(),
});
