import type {
  AgentsContext,
  ChangeRequestId,
  OpenAPIProcessErrorCode,
  OpenAPIProcessingState,
  OpenAPISpecId,
  OpenAPIVersionId,
  OpenAPIVisibility,
  OrganizationId,
  RevisionId,
  SiteId,
  SiteType,
  SiteVisibility,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { AdaptiveJsonSchema, CustomizationChanges, PdfVisit, RedirectDestination } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';
import { foreverSeq } from './content.ts';

/** PDFs that somebody asked for. The bytes are the object of the PDF's id in the bucket. Times are milliseconds. */
export const pdfs = sqliteTable('pdfs', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  /** Null for live content. */
  changeRequest: text('change_request').$type<ChangeRequestId>(),
  revision: text('revision').$type<RevisionId>().notNull(),
  /** The page that it begins with; '' for all pages. */
  page: text('page').notNull().default(''),
  /** Whether it is of that page alone, without those below. */
  only: integer('only', { mode: 'boolean' }).notNull().default(false),
  title: text('title').notNull(),
  subtitle: text('subtitle').notNull().default(''),
  /** One that is refused is too large, and stays so: the same content is not tried again. */
  state: text('state').$type<'waiting' | 'ready' | 'failed' | 'refused'>().notNull().default('waiting'),
  bytes: integer('bytes'),
  pages: integer('pages'),
  /** The upload of parts that the last run began. */
  upload: text('upload'),
  error: text('error'),
  /** The scripts of which no font has some letters, with commas between. */
  missing: text('missing').notNull().default(''),
  /** Where a visitor asked for it; null for members. */
  site: text('site').$type<SiteId>(),
  /** Tells the visitors apart to whom different things are shown; '' for members. */
  visit: text('visit').notNull().default(''),
  /** Of a visitor, until it is made. */
  visitor: storedJson('visitor', PdfVisit),
  createdAt: integer('created_at').notNull(),
  askedAt: integer('asked_at').notNull(),
});

export type PdfRecord = typeof pdfs.$inferSelect;

/** Sites. Times are milliseconds. */
export const sites = sqliteTable('sites', {
  id: text('id').$type<SiteId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  type: text('type').$type<SiteType>().notNull().default('basic'),
  title: text('title').notNull(),
  basename: text('basename').notNull(),
  hostname: text('hostname'),
  proxy: text('proxy'),
  visibility: text('visibility').$type<SiteVisibility>().notNull().default('public'),
  published: integer('published', { mode: 'boolean' }).notNull().default(false),
  adaptive: integer('adaptive', { mode: 'boolean' }).notNull().default(false),
  agentsContext: text('agents_context').$type<AgentsContext>().notNull().default('included'),
  /** Random, and another one whenever what visitors hold is to end: they must bring it. */
  stamp: text('stamp').notNull(),
  /** Counts the changes of what any visitor is shown. */
  shown: integer('shown').notNull().default(0),
  authBackend: text('auth_backend').$type<'custom' | 'integration'>().notNull().default('custom'),
  authIntegration: text('auth_integration'),
  authFallback: text('auth_fallback'),
  /** Random: what the key that visitors' tokens are signed with is derived from, with the server's secret. */
  authKey: text('auth_key').notNull(),
  authShown: integer('auth_shown', { mode: 'boolean' }).notNull().default(false),
  /** A count, kept by triggers. */
  siteSpaces: integer('site_spaces').notNull().default(0),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSectionGroups = sqliteTable('site_section_groups', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  title: text('title').notNull(),
  icon: text('icon'),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSections = sqliteTable('site_sections', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  sectionGroup: text('section_group'),
  title: text('title').notNull(),
  description: text('description'),
  path: text('path').notNull(),
  icon: text('icon'),
  condition: text('condition'),
  isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSpaces = sqliteTable('site_spaces', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** '' where the site has no sections. */
  section: text('section').notNull().default(''),
  space: text('space').$type<SpaceId>().notNull(),
  path: text('path').notNull(),
  condition: text('condition'),
  isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteExternalLinks = sqliteTable('site_external_links', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  sectionGroup: text('section_group'),
  title: text('title').notNull(),
  description: text('description'),
  url: text('url').notNull(),
  icon: text('icon'),
  condition: text('condition'),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteShareLinks = sqliteTable('site_share_links', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  name: text('name').notNull(),
  active: integer('active', { mode: 'boolean' }).notNull().default(true),
  /** SHA-256 of the key, in hex. The key itself follows from the id and the server's secret. */
  keyHash: text('key_hash').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteRedirects = sqliteTable('site_redirects', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** The path from the site on, begins with a slash; that of a wildcard is without its '/*'. */
  source: text('source').notNull(),
  wildcard: integer('wildcard', { mode: 'boolean' }).notNull().default(false),
  destination: storedJson('destination', RedirectDestination).notNull(),
  draft: integer('draft', { mode: 'boolean' }).notNull().default(false),
  permanent: integer('permanent', { mode: 'boolean' }).notNull().default(false),
  captureWildcard: integer('capture_wildcard', { mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** How a site looks; what a site space has of its own stands in its own row. '' is the site itself. */
export const siteCustomizations = sqliteTable(
  'site_customizations',
  {
    site: text('site').$type<SiteId>().notNull(),
    siteSpace: text('site_space').notNull().default(''),
    settings: storedJson('settings', CustomizationChanges).notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.site, table.siteSpace] })],
);

export const siteAdaptiveSchemas = sqliteTable('site_adaptive_schemas', {
  site: text('site').$type<SiteId>().primaryKey(),
  jsonSchema: storedJson('json_schema', AdaptiveJsonSchema).notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** At which paths of a site a space stands, and stood; kept by triggers. */
export const sitePlaces = sqliteTable('site_places', {
  id: integer('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** What an address has of the section and of the site space; '' is the site's own. */
  path: text('path').notNull(),
  /** Of two that stand at one address the higher is meant: 2 where the section is named, 1 more where the site space is. */
  rank: integer('rank').notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  siteSpace: text('site_space').notNull(),
  since: integer('since').notNull(),
  until: integer('until').notNull().default(foreverSeq),
  /** Counts how often something left its place in the site; null while it stands there. */
  leftAs: integer('left_as'),
});

/** What the address of a site once was; kept by a trigger. */
export const siteFormerAddresses = sqliteTable(
  'site_former_addresses',
  {
    site: text('site').$type<SiteId>().notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    kind: text('kind').$type<'basename' | 'hostname' | 'proxy'>().notNull(),
    value: text('value').notNull(),
    until: integer('until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.value, table.site] })],
);

/** Times are milliseconds. */
export const openapiSpecs = sqliteTable('openapi_specs', {
  id: text('id').$type<OpenAPISpecId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  slug: text('slug').notNull(),
  visibility: text('visibility').$type<OpenAPIVisibility>().notNull().default('private'),
  /** A number of each source that it is given: work on an earlier one comes too late. */
  source: integer('source').notNull().default(1),
  sourceUrl: text('source_url'),
  /** The object of the text that is to be read, until it has been. */
  sourceObject: text('source_object'),
  state: text('state').$type<OpenAPIProcessingState>().notNull().default('pending'),
  /** The newest version; none before one could be read. */
  version: text('version').$type<OpenAPIVersionId>(),
  errorCode: text('error_code').$type<OpenAPIProcessErrorCode>(),
  errorMessage: text('error_message'),
  /** What the address answered last, for conditional requests. */
  etag: text('etag'),
  lastModified: text('last_modified'),
  /** When the address is to be read again; null for a text. */
  readAt: integer('read_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  processedAt: integer('processed_at'),
});

export type OpenAPISpecRecord = typeof openapiSpecs.$inferSelect;

export const openapiVersions = sqliteTable('openapi_versions', {
  id: text('id').$type<OpenAPIVersionId>().primaryKey(),
  spec: text('spec').$type<OpenAPISpecId>().notNull(),
  /** From 1 on. */
  number: integer('number').notNull(),
  /** SHA-256 of the text. */
  hash: text('hash').notNull(),
  format: text('format').$type<'json' | 'yaml'>().notNull(),
  sourceUrl: text('source_url'),
  /** The object of the text as it was given. */
  raw: text('raw').notNull(),
  /** The object of the document in OpenAPI 3 as JSON: the same one where the text is that. */
  content: text('content').notNull(),
  createdAt: integer('created_at').notNull(),
});

export type OpenAPIVersionRecord = typeof openapiVersions.$inferSelect;

/**
 * What pages may be made of a specification, in their order. Only the newest version has rows: read those of
 * `openapi_specs.version` of an (organization, slug). A tag stands before its operations and the tags below it, which
 * name its ordinal as their `parent`; operations without a tag, webhooks and models have none. Among the tags and
 * operations with one parent, among the webhooks and among the models, no slug comes twice. At most 10,000 for a version.
 */
export const openapiEntries = sqliteTable(
  'openapi_entries',
  {
    version: text('version').$type<OpenAPIVersionId>().notNull(),
    /** From 0 on, without gaps. */
    ordinal: integer('ordinal').notNull(),
    kind: text('kind').$type<'tag' | 'operation' | 'webhook' | 'model'>().notNull(),
    parent: integer('parent'),
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    /** As it is written, often in Markdown, at most 500 characters. */
    description: text('description').notNull().default(''),
    icon: text('icon'),
    /** As the document has it: the tag, the operation's id if it has one, the webhook, the schema. */
    name: text('name'),
    /** In lower case; of an operation and a webhook. */
    method: text('method'),
    /** Of an operation. */
    path: text('path'),
    deprecated: integer('deprecated', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.version, table.ordinal] })],
);

/** Every object in the bucket of texts and documents, written down before it is uploaded. */
export const openapiObjects = sqliteTable('openapi_objects', {
  key: text('key').primaryKey(),
  /** When it goes, unless something refers to it by then; null while something does. */
  sweepAt: integer('sweep_at'),
});
