import type { IntegrationTarget, IntegrationVisibility, OrganizationId, UserId } from '@octavo/schema';
import {
  ContentSecurityPolicy,
  IntegrationBlocks,
  IntegrationCategories,
  IntegrationConfigurations,
  IntegrationContentSources,
  IntegrationDomains,
  IntegrationEvents,
  IntegrationLinks,
  IntegrationScopes,
  IntegrationScopesSince,
  ObjectKeys,
} from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RecordOf } from './fields.ts';
import { storedJson } from './fields.ts';
import { selection } from './selection.ts';

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

const i = aliasedTable(integrations, 'i');

/** What is shown of an integration, and nothing that is sealed. Of `integrations i`. */
export const integrationRow = selection({
  name: i.name,
  organization: i.organization,
  account: i.account,
  version: i.version,
  title: i.title,
  description: i.description,
  summary: i.summary,
  target: i.target,
  visibility: i.visibility,
  verified: i.verified,
  runtime: i.runtime,
  scopes: i.scopes,
  categories: i.categories,
  blocks: i.blocks,
  blockDomains: i.blockDomains,
  contentSources: i.contentSources,
  configurations: i.configurations,
  externalLinks: i.externalLinks,
  contentSecurityPolicy: i.contentSecurityPolicy,
  events: i.events,
  webhook: i.webhook,
  icon: i.icon,
  previewImages: i.previewImages,
  createdAt: i.createdAt,
});

export type IntegrationRecord = RecordOf<typeof integrationRow>;

/** Every object that holds a script or an image, written down before it is uploaded. */
export const integrationObjects = sqliteTable('integration_objects', {
  key: text('key').primaryKey(),
  /** When it goes, unless something refers to it by then; null while something does. */
  sweepAt: integer('sweep_at'),
});
