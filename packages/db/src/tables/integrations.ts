import type {
  ComputedVersionId,
  DeliveryId,
  DeliveryStatus,
  EventType,
  InstallationSelection,
  InstallationStatus,
  IntegrationTarget,
  IntegrationVisibility,
  OrganizationId,
  PausedReason,
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
  SubscribedEvents,
  SubscribedSpaces,
} from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

/** Integrations. Times are in milliseconds. Those with `unpublishedAt` are not visible to any user. */
export const integrations = sqliteTable('integrations', {
  /** Compared case-insensitively. */
  name: text('name').primaryKey(),
  /** The owner. */
  organization: text('organization').$type<OrganizationId>().notNull(),
  /** The user that the integration itself acts as. */
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
  /** The version that introduced each scope. A scope that was removed and added again has the later version. */
  scopesSince: storedJson('scopes_since', IntegrationScopesSince).notNull().default({}),
  categories: storedJson('categories', IntegrationCategories).notNull().default([]),
  blocks: storedJson('blocks', IntegrationBlocks),
  /** The domains whose URLs become a block of the integration; a `*.` prefix means subdomains. */
  blockDomains: storedJson('block_domains', IntegrationDomains).notNull().default([]),
  contentSources: storedJson('content_sources', IntegrationContentSources),
  configurations: storedJson('configurations', IntegrationConfigurations),
  externalLinks: storedJson('external_links', IntegrationLinks).notNull().default([]),
  contentSecurityPolicy: storedJson('content_security_policy', ContentSecurityPolicy),
  /**
   * The event types that the integration receives, among those that its scopes allow; null if it receives all of them.
   */
  events: storedJson('events', IntegrationEvents),
  /** The URL to which events of the integration's installations are posted. */
  webhook: text('webhook'),
  /** Keys of objects: the icon, the images and the script of the newest version. */
  icon: text('icon'),
  previewImages: storedJson('preview_images', ObjectKeys).notNull().default([]),
  script: text('script').notNull(),
  /** An object of strings, encrypted so that it can be decrypted only with the integration's name. */
  secrets: text('secrets'),
  /** A string, encrypted like `secrets`. */
  signingSecret: text('signing_secret').notNull(),
  /** The URL of the owner's development server, on which the script runs for the owner. */
  devUrl: text('dev_url'),
  /** The time when development mode ends. */
  devUntil: integer('dev_until'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  unpublishedAt: integer('unpublished_at'),
  /** The position of the check of pending installations. Each new version restarts this check. */
  settlingFrom: text('settling_from'),
});

/** All objects with a script or an image, recorded before they are uploaded. */
export const integrationObjects = sqliteTable('integration_objects', {
  key: text('key').primaryKey(),
  /** When the unreferenced object will be deleted. Null while a row references it. */
  sweepAt: integer('sweep_at'),
});

/** Integrations that are installed in an organization. Times are in milliseconds. */
export const installations = sqliteTable('installations', {
  id: text('id').primaryKey(),
  /** The integration's name, in its original case. */
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  /** The user that the installation acts as in the organization. */
  account: text('account').$type<UserId>().notNull(),
  status: text('status').$type<InstallationStatus>().notNull(),
  /** The scopes that the organization agreed to. Other scopes of the integration have no effect. */
  scopes: storedJson('scopes', IntegrationScopes).notNull().default([]),
  /** The version of the integration when the organization agreed. */
  agreedVersion: integer('agreed_version').notNull().default(0),
  spaceSelection: text('space_selection').$type<InstallationSelection>().notNull().default('all'),
  siteSelection: text('site_selection').$type<InstallationSelection>().notNull().default('all'),
  /** Encrypted so that it can be decrypted only with the installation's id. */
  configuration: text('configuration').notNull(),
  /** Encrypted so that it can be decrypted only with the installation's id. */
  signingSecret: text('signing_secret').notNull(),
  externalIds: storedJson('external_ids', ExternalIds).notNull().default([]),
  /** The number of spaces, without those in the trash, maintained by triggers and by the code that trashes spaces. */
  spaces: integer('spaces').notNull().default(0),
  /** The numbers of spaces and sites that it is installed on, including those in the trash. Used for limits. */
  onSpaces: integer('on_spaces').notNull().default(0),
  onSites: integer('on_sites').notNull().default(0),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** The columns that installations on spaces and on sites share. */
const contentInstallation = {
  installation: text('installation').notNull(),
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  status: text('status').$type<InstallationStatus>().notNull(),
  /** Encrypted so that it can be decrypted only with the installation's id. */
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

/** An index of the `external_ids` of the three tables above, maintained by triggers. */
export const installationExternalIds = sqliteTable(
  'installation_external_ids',
  {
    integration: text('integration').notNull(),
    kind: text('kind').$type<'installation' | 'space' | 'site'>().notNull(),
    externalId: text('external_id').notNull(),
    createdAt: integer('created_at').notNull(),
    installation: text('installation').notNull(),
    /** Empty for an installation, otherwise the id of the space or the site. */
    target: text('target').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.integration, table.kind, table.externalId, table.createdAt, table.installation, table.target],
    }),
  ],
);

/** Computed pages in live content whose pages an integration generates. Times are in milliseconds. */
export const computedContents = sqliteTable(
  'computed_contents',
  {
    space: text('space').$type<SpaceId>().notNull(),
    /** The computed page. */
    page: text('page').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    integration: text('integration').notNull(),
    source: storedJson('source', ComputedSource).notNull(),
    /** The version of the visible pages; null if there are none. */
    version: text('version').$type<ComputedVersionId>(),
    /** SHA-256 of the pages. */
    hash: text('hash'),
    computedAt: integer('computed_at').notNull().default(0),
    dueAt: integer('due_at').notNull(),
    /** The start of the last run. */
    takenAt: integer('taken_at').notNull().default(0),
    /**
     * The end of the lease of the worker that generates the pages. If `dueAt` is before it, the page became due during
     * the run.
     */
    leasedUntil: integer('leased_until').notNull().default(0),
    /** A version that is no longer visible and whose entries are still to be deleted. */
    former: text('former').$type<ComputedVersionId>(),
    /** Failures since the last success, including a current run, and the last error. */
    failures: integer('failures').notNull().default(0),
    error: text('error'),
  },
  (table) => [primaryKey({ columns: [table.space, table.page] })],
);

/** The pages of a version, each after its parent. `parent` is the ordinal of the parent. */
export const computedEntries = sqliteTable(
  'computed_entries',
  {
    version: text('version').$type<ComputedVersionId>().notNull(),
    ordinal: integer('ordinal').notNull(),
    parent: integer('parent'),
    /** Unique among sibling pages and, separately, among sibling links. The slug of a link only determines its id. */
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    description: text('description').notNull().default(''),
    icon: text('icon'),
    /** Markdown. */
    text: text('text').notNull().default(''),
    emoji: text('emoji'),
    /** The target of a link. */
    target: storedJson('target', LinkTarget),
  },
  (table) => [primaryKey({ columns: [table.version, table.ordinal] })],
);

/**
 * The dependencies of computed pages that integrations generate. They are used to find the pages that a change affects.
 */
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

/** Runs of an integration's script. Times are in milliseconds. */
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

/** Tasks in which an integration has requested to be called at a given time. */
export const integrationTasks = sqliteTable('integration_tasks', {
  id: text('id').primaryKey(),
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  task: storedJson('task', IntegrationTask).notNull(),
  /** The time of the next run. */
  runAt: integer('run_at').notNull(),
  attempts: integer('attempts').notNull().default(0),
  /** The number of script runs that led to the task, including the run that created it. */
  depth: integer('depth').notNull().default(0),
  createdAt: integer('created_at').notNull(),
});

/** The kind of receiver: a webhook of an organization, or the webhook or script of an installed integration. */
type SubscriptionKind = 'webhook' | 'installation_webhook' | 'installation_script';

/**
 * The status of a subscription. `leaving`: created when its installation is deleted, to deliver only that event.
 * `draining`: delivers pending events and receives no new ones. `ended`: unreferenced, and deleted in batches with its
 * pending deliveries.
 */
export type SubscriptionStatus = 'active' | 'paused' | 'leaving' | 'draining' | 'ended';

/** The receivers of events. Times are in milliseconds. */
export const subscriptions = sqliteTable('subscriptions', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  kind: text('kind').$type<SubscriptionKind>().notNull(),
  installation: text('installation'),
  integration: text('integration'),
  /**
   * The account of the installed integration. It identifies the integration even if another owner takes over its name.
   */
  integrationAccount: text('integration_account').$type<UserId>(),
  status: text('status').$type<SubscriptionStatus>().notNull().default('active'),
  url: text('url'),
  description: text('description').notNull().default(''),
  events: storedJson('events', SubscribedEvents),
  spaces: storedJson('spaces', SubscribedSpaces),
  /** Encrypted so that it can be decrypted only with `sealedFor`. */
  secret: text('secret'),
  previousSecret: text('previous_secret'),
  sealedFor: text('sealed_for').notNull(),
  previousUntil: integer('previous_until'),
  /** Consecutive failed attempts. */
  failures: integer('failures').notNull().default(0),
  /**
   * The start of the current failures. Since then, `failedAttempts` attempts failed or were refused, and `givenUp`
   * deliveries were abandoned.
   */
  failingSince: integer('failing_since'),
  failedAttempts: integer('failed_attempts').notNull().default(0),
  givenUp: integer('given_up').notNull().default(0),
  /** The reason why a webhook is paused, and the time when the pause started. */
  pausedReason: text('paused_reason').$type<PausedReason>(),
  pausedSince: integer('paused_since'),
  /** The time before which nothing is sent. */
  heldUntil: integer('held_until'),
  /** The time when the sweep handles the subscription. */
  wakeAt: integer('wake_at'),
  /** The id of the worker that is sending. */
  lease: text('lease'),
  /** Incremented when the URL, secret or status changes, so that a sender notices that its copy is outdated. */
  generation: integer('generation').notNull().default(0),
  /** The number of pending deliveries, maintained by triggers. */
  waiting: integer('waiting').notNull().default(0),
  /** The time when deliveries of a paused or ended subscription are deleted. */
  cleanAt: integer('clean_at'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/**
 * Events that have not been dispatched to the subscriptions of their organization yet. Written by a trigger on the
 * outbox.
 */
export const feed = sqliteTable('feed', {
  seq: integer('seq').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  event: text('event').notNull(),
});

/**
 * Former statuses of subscriptions up to a position in the feed, stored while the feed has events from before that
 * position. Written by triggers.
 */
export const formerStatuses = sqliteTable(
  'former_statuses',
  {
    subscription: text('subscription').notNull(),
    seq: integer('seq').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** The status of the subscription, or of the installation if the row is about an installation. */
    status: text('status').$type<SubscriptionStatus | InstallationStatus>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.seq] })],
);

/** Deliveries of events to subscriptions. Of the pending deliveries for one object, only the first is due. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    subscription: text('subscription').notNull(),
    seq: integer('seq').notNull(),
    id: text('id').$type<DeliveryId>().notNull(),
    event: text('event').notNull(),
    type: text('type').$type<EventType>().notNull(),
    object: text('object').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull().default('pending'),
    dueAt: integer('due_at'),
    attempts: integer('attempts').notNull().default(0),
    /** Attempts since the event or the last redelivery request. */
    tries: integer('tries').notNull().default(0),
    retryUntil: integer('retry_until'),
    answered: integer('answered'),
    error: text('error'),
    /** The number of redelivery requests. */
    redeliveries: integer('redeliveries').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    settledAt: integer('settled_at'),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.seq] })],
);

export const deliveryAttempts = sqliteTable(
  'delivery_attempts',
  {
    delivery: text('delivery').$type<DeliveryId>().notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    milliseconds: integer('milliseconds').notNull(),
    status: integer('status'),
    error: text('error'),
    answer: text('answer'),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.number] })],
);
