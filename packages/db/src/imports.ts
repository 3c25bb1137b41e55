import type {
  ImportId,
  ImportSource,
  ImportStatus,
  OpenBranchId,
  OrganizationId,
  RevisionId,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { Lineage, Navigation } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './fields.ts';

/** What an import does now; an import that has ended, however it did, clears away what it gathered. */
export type ImportPhase = 'gather' | 'place' | 'link' | 'arrive' | 'clean' | 'ended';

export const imports = sqliteTable('imports', {
  id: text('id').$type<ImportId>().primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  branch: text('branch').$type<OpenBranchId>().notNull(),
  source: text('source').$type<ImportSource>().notNull(),
  url: text('url').notNull(),
  status: text('status').$type<ImportStatus>().notNull().default('running'),
  phase: text('phase').$type<ImportPhase>().notNull().default('gather'),
  error: text('error'),
  /** What an address of the site begins with. */
  folder: text('folder').notNull().default(''),
  robots: text('robots').notNull().default(''),
  navigation: storedJson('navigation', Navigation).notNull().default([]),
  /** The revision that the branch stood at when the import began, and its lineage. */
  base: text('base').notNull(),
  lineage: storedJson('lineage', Lineage).notNull(),
  revision: text('revision').$type<RevisionId>().notNull(),
  seq: integer('seq').notNull().default(0),
  cursor: integer('cursor').notNull().default(0),
  known: integer('known').notNull().default(0),
  total: integer('total').notNull().default(0),
  pages: integer('pages').notNull().default(0),
  files: integer('files').notNull().default(0),
  skipped: integer('skipped').notNull().default(0),
  failed: integer('failed').notNull().default(0),
  bytes: integer('bytes').notNull().default(0),
  resumed: integer('resumed').notNull().default(0),
  createdBy: text('created_by').$type<UserId>().notNull(),
  requestId: text('request_id').notNull(),
  /** Of the request that began it. */
  depth: integer('depth').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  finishedAt: integer('finished_at'),
});

export const importAddresses = sqliteTable(
  'import_addresses',
  {
    import: text('import').$type<ImportId>().notNull(),
    address: text('address').notNull(),
    url: text('url').notNull(),
    kind: text('kind').$type<'sitemap' | 'page' | 'file' | 'content' | 'group' | 'alias' | 'problem'>().notNull(),
    rank: integer('rank').notNull(),
    ordinal: integer('ordinal').notNull(),
    depth: integer('depth').notNull().default(0),
    status: text('status').$type<'pending' | 'done' | 'skipped' | 'failed'>().notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    node: text('node'),
    title: text('title'),
    sameAs: text('same_as'),
    error: text('error'),
    parent: text('parent').notNull().default(''),
    position: text('position').notNull().default(''),
    slug: text('slug').notNull().default(''),
  },
  (table) => [primaryKey({ columns: [table.import, table.address] })],
);
