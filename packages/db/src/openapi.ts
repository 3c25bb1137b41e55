import type {
  OpenAPIProcessErrorCode,
  OpenAPIProcessingState,
  OpenAPISpecId,
  OpenAPIVersionId,
  OpenAPIVisibility,
  OrganizationId,
} from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RecordOf } from './fields.ts';
import { selection } from './selection.ts';

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

const e = aliasedTable(openapiEntries, 'e');

/** Of `openapi_entries e`. */
export const openapiEntryRow = selection({
  ordinal: e.ordinal,
  kind: e.kind,
  parent: e.parent,
  slug: e.slug,
  title: e.title,
  description: e.description,
  icon: e.icon,
  name: e.name,
  method: e.method,
  path: e.path,
  deprecated: e.deprecated,
});

export type OpenAPIEntryRecord = RecordOf<typeof openapiEntryRow>;

/** Every object in the bucket of texts and documents, written down before it is uploaded. */
export const openapiObjects = sqliteTable('openapi_objects', {
  key: text('key').primaryKey(),
  /** When it goes, unless something refers to it by then; null while something does. */
  sweepAt: integer('sweep_at'),
});
