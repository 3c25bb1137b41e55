import type { ComputedVersionId, OpenAPIVersionId, OrganizationId, SpaceId } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const searchIndexes = sqliteTable('search_indexes', {
  organization: text('organization').$type<OrganizationId>().primaryKey(),
  version: integer('version').notNull(),
});

/** The immutable parts of the search indexes. */
export const searchSegments = sqliteTable(
  'search_segments',
  {
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** A random number. */
    id: integer('id').notNull(),
    /** The sum of the lengths of the blocks and of the header, which weighs more. */
    size: integer('size').notNull(),
    /** The pages that a later segment replaces, as bits in base64. */
    removed: text('removed').notNull().default(''),
    header: text('header').notNull(),
    /** The blocks of a small segment, in JSON. */
    blocks: text('blocks'),
  },
  (table) => [primaryKey({ columns: [table.organization, table.id] })],
);

/** The blocks of large segments. */
export const searchBlocks = sqliteTable(
  'search_blocks',
  {
    organization: text('organization').$type<OrganizationId>().notNull(),
    segment: integer('segment').notNull(),
    kind: text('kind').$type<'words' | 'postings' | 'pages'>().notNull(),
    number: integer('number').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organization, table.segment, table.kind, table.number] })],
);

/** The texts of sections, from which snippets are made. */
export const searchTexts = sqliteTable(
  'search_texts',
  {
    /**
     * The hash of a document, or the space and id of a page that is generated or includes other texts, with the hash of
     * its sections.
     */
    key: text('key').notNull(),
    part: integer('part').notNull(),
    /** The anchor, heading and text of each section, as JSON, compressed, and in base64. */
    sections: text('sections').notNull(),
  },
  (table) => [primaryKey({ columns: [table.key, table.part] })],
);

/** The pages that included reusable content when they were indexed. They may no longer include it. */
export const searchIncludes = sqliteTable(
  'search_includes',
  {
    space: text('space').$type<SpaceId>().notNull(),
    /** The id of the reusable content, which the page includes at any level; '' if the page has an unknown include. */
    content: text('content').notNull(),
    page: text('page').notNull(),
  },
  (table) => [primaryKey({ columns: [table.space, table.content, table.page] })],
);

/** The computed pages in the live content of a space, as indexed. */
export const searchSources = sqliteTable(
  'search_sources',
  {
    space: text('space').$type<SpaceId>().notNull(),
    source: text('source').notNull(),
    /** The organization of the space, updated by a trigger when the space is transferred. */
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** The parent page. */
    place: text('place').notNull(),
    /**
     * The slug of the page's specification, or the type of the integration's content source that generates its pages.
     */
    spec: text('spec').notNull(),
    /** Sibling pages whose slugs collide with generated pages, as JSON. */
    beside: text('beside').notNull().default('[]'),
  },
  (table) => [primaryKey({ columns: [table.space, table.source] })],
);

/** Generated pages, as indexed. */
export const searchGeneratedPages = sqliteTable(
  'search_made_pages',
  {
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull(),
    /** The parent page of the computed page. */
    place: text('place').notNull(),
    version: text('version').$type<OpenAPIVersionId | ComputedVersionId>().notNull(),
    title: text('title').notNull(),
    /** The path relative to `place`. */
    path: text('path').notNull(),
    /** The conditions of the page and its ancestors, in JSON. */
    conditions: text('conditions').notNull(),
    /** The data that is still to be indexed, in JSON; '{}' if the page is to be removed. */
    due: text('due'),
  },
  (table) => [primaryKey({ columns: [table.space, table.page] })],
);
