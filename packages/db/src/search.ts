import type { ComputedVersionId, OpenAPIVersionId, OrganizationId, SpaceId } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const searchPages = sqliteTable(
  'search_pages',
  {
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull(),
    seq: integer('seq').notNull(),
    /** Those of the page and of all above it, as it was indexed, in JSON. */
    conditions: text('conditions').notNull().default('[]'),
  },
  (table) => [primaryKey({ columns: [table.space, table.page] })],
);

/** The conditions of the sections of a space, with what stands for each in the index. */
export const searchConditions = sqliteTable(
  'search_conditions',
  {
    space: text('space').$type<SpaceId>().notNull(),
    condition: text('condition').notNull(),
    token: text('token').notNull(),
  },
  (table) => [primaryKey({ columns: [table.space, table.condition] })],
);

export const searchSections = sqliteTable('search_sections', {
  id: integer('id').primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  page: text('page').notNull(),
  ordinal: integer('ordinal').notNull(),
  anchor: text('anchor').notNull(),
  title: text('title').notNull(),
  heading: text('heading').notNull(),
  body: text('body').notNull(),
  /** The organization of the space, kept true by a trigger when the space is transferred. */
  organization: text('organization').$type<OrganizationId>().notNull().default(''),
  /** All that must hold for the section to be shown, in JSON; '' where nothing must. */
  conditions: text('conditions').notNull().default(''),
  tokens: text('tokens').notNull().default(''),
});

/** The computed pages of the live content of a space, as they were indexed. */
export const searchSources = sqliteTable(
  'search_sources',
  {
    space: text('space').$type<SpaceId>().notNull(),
    source: text('source').notNull(),
    /** The organization of the space, kept true by a trigger when the space is transferred. */
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** The page that it stands under. */
    place: text('place').notNull(),
    /** The slug of its specification, or the type of the integration's source that makes its pages. */
    spec: text('spec').notNull(),
    /** The pages beside it that take a slug from one that is made of it, in JSON. */
    beside: text('beside').notNull().default('[]'),
  },
  (table) => [primaryKey({ columns: [table.space, table.source] })],
);

/** The pages that are made of computed ones, as they were indexed. */
export const searchMadePages = sqliteTable(
  'search_made_pages',
  {
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull(),
    /** The page that its computed page stands under. */
    place: text('place').notNull(),
    version: text('version').$type<OpenAPIVersionId | ComputedVersionId>().notNull(),
    title: text('title').notNull(),
    /** From the place on. */
    path: text('path').notNull(),
    /** Those of the page and of all above it, in JSON. */
    conditions: text('conditions').notNull(),
    /** What is to be indexed of it yet, in JSON; '{}' where it is to go. */
    due: text('due'),
  },
  (table) => [primaryKey({ columns: [table.space, table.page] })],
);
