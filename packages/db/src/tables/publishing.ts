import type {
  AgentsContext,
  ChangeRequestId,
  OpenAPIProcessErrorCode,
  OpenAPIProcessingState,
  OpenAPISpecId,
  OpenAPIVersionId,
  OpenAPIVisibility,
  OrganizationId,
  PageRating,
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

/** Requested PDFs. The PDF's id is the key of its bytes in the bucket. Times are in milliseconds. */
export const pdfs = sqliteTable('pdfs', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  /** Null for live content. */
  changeRequest: text('change_request').$type<ChangeRequestId>(),
  revision: text('revision').$type<RevisionId>().notNull(),
  /** The first page; '' for all pages. */
  page: text('page').notNull().default(''),
  /** Whether subpages are omitted. */
  only: integer('only', { mode: 'boolean' }).notNull().default(false),
  title: text('title').notNull(),
  subtitle: text('subtitle').notNull().default(''),
  /** A `refused` PDF is too large. The same content is not tried again. */
  state: text('state').$type<'waiting' | 'ready' | 'failed' | 'refused'>().notNull().default('waiting'),
  bytes: integer('bytes'),
  pages: integer('pages'),
  /** The multipart upload of the last run. */
  upload: text('upload'),
  error: text('error'),
  /** The writing systems with characters that no font contains, separated by commas. */
  missing: text('missing').notNull().default(''),
  /** The site on which a visitor requested the PDF; null for members. */
  site: text('site').$type<SiteId>(),
  /** Distinguishes visitors who see different content; '' for members. */
  visit: text('visit').notNull().default(''),
  /** The visitor who requested the PDF, stored until the PDF is rendered. */
  visitor: storedJson('visitor', PdfVisit),
  createdAt: integer('created_at').notNull(),
  askedAt: integer('asked_at').notNull(),
  /** The time at which the first run began. */
  startedAt: integer('started_at'),
  /** Like `visit`, without the version of the site; '' for members. */
  viewer: text('viewer').notNull().default(''),
});

export type PdfRecord = typeof pdfs.$inferSelect;

/** Sites. Times are in milliseconds. */
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
  /** Whether a customization shows links to the source files of pages. Maintained by triggers. */
  editLinks: integer('edit_links', { mode: 'boolean' }).notNull().default(false),
  agentsContext: text('agents_context').$type<AgentsContext>().notNull().default('included'),
  /** Random. A new stamp ends all visitor sessions, because visitor tokens contain it. */
  stamp: text('stamp').notNull(),
  /** A counter that increases whenever visitors see a change of the site. */
  shown: integer('shown').notNull().default(0),
  /** The last edits that changed only texts of pages, in JSON. `findEditedPages` reads it. */
  textEdits: text('text_edits').notNull().default('[]'),
  authBackend: text('auth_backend').$type<'custom' | 'integration'>().notNull().default('custom'),
  authIntegration: text('auth_integration'),
  authFallback: text('auth_fallback'),
  /** A random value. The signing key of visitor tokens is derived from it and the server's secret. */
  authKey: text('auth_key').notNull(),
  authShown: integer('auth_shown', { mode: 'boolean' }).notNull().default(false),
  /** A counter, maintained by triggers. */
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
  /** '' if the site has no sections. */
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
  /** SHA-256 of the key, in hex. The key itself is derived from the id and the server's secret. */
  keyHash: text('key_hash').notNull(),
  createdAt: integer('created_at').notNull(),
});

/** Ratings of pages by readers. Only the newest rating of each voter is stored. */
export const pageFeedback = sqliteTable('page_feedback', {
  id: integer('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  page: text('page').notNull(),
  /** A keyed hash of the data that distinguishes a reader. It is different for each page. */
  voter: text('voter').notNull(),
  rating: text('rating').$type<PageRating>().notNull(),
  ratedAt: integer('rated_at').notNull(),
});

/** The numbers of ratings of a page. Maintained by triggers. */
export const pageFeedbackCounts = sqliteTable(
  'page_feedback_counts',
  {
    site: text('site').$type<SiteId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull(),
    good: integer('good').notNull(),
    ok: integer('ok').notNull(),
    bad: integer('bad').notNull(),
    ratedAt: integer('rated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.site, table.space, table.page] })],
);

export const siteRedirects = sqliteTable('site_redirects', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** The path within the site, with a leading slash. A wildcard is stored without its '/*'. */
  source: text('source').notNull(),
  wildcard: integer('wildcard', { mode: 'boolean' }).notNull().default(false),
  destination: storedJson('destination', RedirectDestination).notNull(),
  draft: integer('draft', { mode: 'boolean' }).notNull().default(false),
  permanent: integer('permanent', { mode: 'boolean' }).notNull().default(false),
  captureWildcard: integer('capture_wildcard', { mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** The customizations of a site and its site spaces. `site_space` is '' for the site itself. */
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

/** Current and former paths of spaces in a site, maintained by triggers. */
export const siteLocations = sqliteTable('site_places', {
  id: integer('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** The path segments of the section and of the site space; '' is the root of the site. */
  path: text('path').notNull(),
  /**
   * The precedence among entries with the same path, highest first: 2 if the path names the section, plus 1 if it names
   * the site space.
   */
  rank: integer('rank').notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  siteSpace: text('site_space').notNull(),
  since: integer('since').notNull(),
  until: integer('until').notNull().default(foreverSeq),
  /**
   * Set when the space leaves the path, to one more than the highest value in the site. Null while the space has this
   * path.
   */
  leftAs: integer('left_as'),
});

/** Former URL parts of a site, maintained by a trigger. */
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

/** OpenAPI specifications. Times are in milliseconds. */
export const openapiSpecs = sqliteTable('openapi_specs', {
  id: text('id').$type<OpenAPISpecId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  slug: text('slug').notNull(),
  visibility: text('visibility').$type<OpenAPIVisibility>().notNull().default('private'),
  /** Incremented with each new source. Results for an earlier source are discarded. */
  source: integer('source').notNull().default(1),
  sourceUrl: text('source_url'),
  /** The object with the text to process, until it has been processed. */
  sourceObject: text('source_object'),
  state: text('state').$type<OpenAPIProcessingState>().notNull().default('pending'),
  /** The newest version; null until a source has been read successfully. */
  version: text('version').$type<OpenAPIVersionId>(),
  errorCode: text('error_code').$type<OpenAPIProcessErrorCode>(),
  errorMessage: text('error_message'),
  /** Validators of the last response, for conditional requests. */
  etag: text('etag'),
  lastModified: text('last_modified'),
  /** The time of the next download; null if the source is a text and not a URL. */
  readAt: integer('read_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  processedAt: integer('processed_at'),
});

export type OpenAPISpecRecord = typeof openapiSpecs.$inferSelect;

export const openapiVersions = sqliteTable('openapi_versions', {
  id: text('id').$type<OpenAPIVersionId>().primaryKey(),
  spec: text('spec').$type<OpenAPISpecId>().notNull(),
  /** Starts at 1. */
  number: integer('number').notNull(),
  /** SHA-256 of the text. */
  hash: text('hash').notNull(),
  format: text('format').$type<'json' | 'yaml'>().notNull(),
  sourceUrl: text('source_url'),
  /** The object with the original text. */
  raw: text('raw').notNull(),
  /**
   * The object with the document as OpenAPI 3 in JSON. It is the same object as `raw` if the original text already has
   * this format.
   */
  content: text('content').notNull(),
  createdAt: integer('created_at').notNull(),
});

export type OpenAPIVersionRecord = typeof openapiVersions.$inferSelect;

/**
 * The pages that can be generated from a specification, in their order. Only the newest version has rows, so select by
 * `openapi_specs.version` of the (organization, slug). A tag precedes its operations and the tags below it, whose
 * `parent` is its ordinal. Operations without a tag, webhooks and models have no parent. Slugs are unique among the
 * tags and operations with the same parent, among the webhooks, and among the models. At most 10,000 rows for a
 * version.
 */
export const openapiEntries = sqliteTable(
  'openapi_entries',
  {
    version: text('version').$type<OpenAPIVersionId>().notNull(),
    /** Starts at 0, without gaps. */
    ordinal: integer('ordinal').notNull(),
    kind: text('kind').$type<'tag' | 'operation' | 'webhook' | 'model'>().notNull(),
    parent: integer('parent'),
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    /** The original text, often in Markdown, at most 500 characters. */
    description: text('description').notNull().default(''),
    icon: text('icon'),
    /** The name of the tag, webhook or schema in the document. For an operation, its id if it has one. */
    name: text('name'),
    /** The HTTP method in lower case. Set for operations and webhooks. */
    method: text('method'),
    /** The path of the operation. */
    path: text('path'),
    deprecated: integer('deprecated', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.version, table.ordinal] })],
);

/** All objects with texts and documents in the bucket, recorded before they are uploaded. */
export const openapiObjects = sqliteTable('openapi_objects', {
  key: text('key').primaryKey(),
  /** When the unreferenced object will be deleted. Null while a row references it. */
  sweepAt: integer('sweep_at'),
});
