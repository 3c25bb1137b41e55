import type { ComputedVersionId, OrganizationId, SpaceId } from '@octavo/schema';
import { ComputedSource, LinkTarget } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './fields.ts';

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
