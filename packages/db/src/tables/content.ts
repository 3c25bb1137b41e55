import type {
  BranchId,
  ChangeRequestId,
  CollectionId,
  ComputedVersionId,
  DefaultLevel,
  ImportId,
  ImportSource,
  ImportStatus,
  OpenAPIVersionId,
  OpenBranchId,
  OrganizationId,
  RevisionId,
  RevisionType,
  SpaceId,
  StorageUploadKind,
  UserId,
} from '@octavo/schema';
import { Lineage, MergeRules, Navigation, ParentRevisions, UploadedParts } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

export type { Lineage } from '@octavo/schema';

export const collections = sqliteTable('collections', {
  id: text('id').$type<CollectionId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  parent: text('parent'),
  title: text('title').notNull(),
  description: text('description'),
  defaultLevel: text('default_level').$type<NonNullable<DefaultLevel>>(),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  position: text('position').notNull().default(''),
  deletedAt: integer('deleted_at'),
});

export const spaces = sqliteTable('spaces', {
  id: text('id').$type<SpaceId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  parent: text('parent'),
  title: text('title').notNull(),
  emoji: text('emoji').notNull(),
  editMode: text('edit_mode').$type<'live' | 'locked'>().notNull().default('live'),
  visibility: text('visibility').$type<'private'>().notNull().default('private'),
  defaultLevel: text('default_level').$type<NonNullable<DefaultLevel>>(),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  deletedAt: integer('deleted_at'),
  position: text('position').notNull().default(''),
  /** When the purge took its last step on the space itself; null as long as it can be restored. */
  purgingAt: integer('purging_at'),
  /** Null where it has the rules of its organization. */
  mergeRules: storedJson('merge_rules', MergeRules),
});

/** A revision as content is read through it. */
export interface RevisionPoint {
  id: string;
  branch: BranchId;
  seq: number;
  lineage: Lineage;
}

export const revisions = sqliteTable('revisions', {
  id: text('id').$type<RevisionId>().primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  branch: text('branch').$type<BranchId>().notNull(),
  seq: integer('seq').notNull(),
  type: text('type').$type<RevisionType>().notNull(),
  parents: storedJson('parents', ParentRevisions).notNull(),
  lineage: storedJson('lineage', Lineage).notNull(),
  author: text('author').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  summary: text('summary').notNull().default(''),
  changeRequest: text('change_request').$type<ChangeRequestId>(),
});

/** The branches of other spaces that the lineages of a space read, each up to `seq`. */
export const lineageSources = sqliteTable(
  'lineage_sources',
  { source: text('source').notNull(), space: text('space').$type<SpaceId>().notNull(), seq: integer('seq').notNull() },
  (table) => [primaryKey({ columns: [table.source, table.space, table.seq] })],
);

export const documents = sqliteTable('documents', {
  hash: text('hash').primaryKey(),
  markdown: text('markdown').notNull(),
  bytes: integer('bytes').notNull(),
  /** Each between line ends; '' where the text does not tell them all, null until the sweep has read it. */
  anchors: text('anchors'),
});

export const documentLinks = sqliteTable(
  'document_links',
  {
    hash: text('hash').notNull(),
    ordinal: integer('ordinal').notNull(),
    relation: text('relation').$type<'reference' | 'dependsOn'>().notNull(),
    kind: text('kind').$type<'url' | 'internal'>().notNull(),
    target: text('target').notNull(),
    /** JSON of the conditions under which alone it stands there; null where it also does without. */
    conditions: text('conditions'),
  },
  (table) => [primaryKey({ columns: [table.hash, table.ordinal] })],
);

/** The specifications that the blocks of a document refer to, by their slugs. */
export const documentSpecs = sqliteTable(
  'document_specs',
  {
    hash: text('hash').notNull(),
    spec: text('spec').notNull(),
    /** JSON of the conditions under which alone it does; null where it also does without. */
    conditions: text('conditions'),
  },
  (table) => [primaryKey({ columns: [table.hash, table.spec] })],
);

/** The bytes of files, by their key in the bucket: `<organization>/<SHA-256>`. */
export const blobs = sqliteTable('blobs', {
  key: text('key').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  bytes: integer('bytes').notNull(),
  contentType: text('content_type').notNull(),
  width: integer('width'),
  height: integer('height'),
  /** When an upload last began: what was claimed within the hour is not swept. */
  claimedAt: integer('claimed_at').notNull(),
  /** From here on no upload may use it: its bytes are being deleted. */
  doomedAt: integer('doomed_at'),
  /** False until a version that holds it was committed. */
  settled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  /** Where the bytes are in the bucket, if not under the key: where they were uploaded to, before their hash was known. */
  object: text('object'),
});

/** Files that come by an address of their own. Their bytes go to `uploads/<id>`, a tail that is no whole part beside that. */
export const uploads = sqliteTable('uploads', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  createdBy: text('created_by').$type<UserId>().notNull(),
  name: text('name').notNull(),
  /** As it was declared, then what the bytes show. */
  contentType: text('content_type').notNull(),
  size: integer('size').notNull(),
  kind: text('kind').$type<StorageUploadKind>().notNull(),
  /** How many bytes are stored. */
  received: integer('received').notNull().default(0),
  /** The bucket's id of an upload in parts, and the parts that it has. */
  multipart: text('multipart'),
  parts: storedJson('parts', UploadedParts).notNull().default([]),
  /** Which request may write: a later one takes over from a former, and how many have. */
  writer: text('writer'),
  turn: integer('turn').notNull().default(0),
  /** Whose address the bytes come to with those of others, one after the other in this order; null where it has its own. */
  bundle: text('bundle'),
  ordinal: integer('ordinal').notNull().default(0),
  /** Once all bytes are there: the key of their blob, and what follows from them. */
  blob: text('blob'),
  oid: text('oid'),
  width: integer('width'),
  height: integer('height'),
  /** Whether a version holds the bytes, so that they wait for nothing any more. */
  settled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export type NodeKind = 'page' | 'file' | 'reusable-content' | 'variable';

/** The `until` of a version that nothing has superseded. */
export const foreverSeq = Number.MAX_SAFE_INTEGER;

export const versions = sqliteTable(
  'versions',
  {
    branch: text('branch').$type<BranchId>().notNull(),
    kind: text('kind').$type<NodeKind>().notNull(),
    id: text('id').notNull(),
    since: integer('since').notNull(),
    until: integer('until').notNull(),
    parent: text('parent').notNull().default(''),
    position: text('position').notNull().default(''),
    slug: text('slug').notNull().default(''),
    deleted: integer('deleted', { mode: 'boolean' }).notNull().default(false),
    data: text('data').notNull().default('{}'),
    document: text('document'),
  },
  (table) => [primaryKey({ columns: [table.branch, table.kind, table.id, table.since] })],
);

/**
 * What a version of a page or a reusable content uses, kept by triggers: ids of files and of reusable contents, and
 * `openapi:` with the slug of a specification.
 */
export const versionUses = sqliteTable(
  'version_uses',
  {
    branch: text('branch').$type<BranchId>().notNull(),
    /** '' where the text of the version has conditions. */
    used: text('used').notNull(),
    until: integer('until').notNull(),
    kind: text('kind').$type<NodeKind>().notNull(),
    id: text('id').notNull(),
    since: integer('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.branch, table.used, table.until, table.kind, table.id, table.since] })],
);

/** The titles of what pages embed, as its providers told them once; null where they did not. */
export const embeds = sqliteTable('embeds', {
  url: text('url').primaryKey(),
  title: text('title'),
  readAt: integer('read_at').notNull(),
});

/** What an import does now; an import that has ended, however it did, clears away what it gathered. */
type ImportPhase = 'gather' | 'place' | 'link' | 'arrive' | 'clean' | 'ended';

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
