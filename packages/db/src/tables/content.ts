import type {
  BranchId,
  ChangeRequestId,
  CollectionId,
  DefaultLevel,
  EditableBranchId,
  ImportId,
  ImportSource,
  ImportStatus,
  OrganizationId,
  RevisionId,
  RevisionType,
  SpaceId,
  StorageUploadKind,
  UserId,
} from '@octavo/schema';
import { Lineage, MergeRules, Navigation, ParentRevisions, StoredGitSync, UploadedParts } from '@octavo/schema';
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
  /** The time of the last purge step on the space itself; null while the space can be restored. */
  purgingAt: integer('purging_at'),
  /** Null if the rules of the organization apply. */
  mergeRules: storedJson('merge_rules', MergeRules),
  /** The Git branch and folder that the space is synced with, as `octavo sync` reports them. */
  gitSync: storedJson('git_sync', StoredGitSync),
});

/** The fields of a revision that are needed to read its content. */
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

/** Branches of other spaces that the lineages of a space include, each up to `seq`. */
export const lineageSources = sqliteTable(
  'lineage_sources',
  { source: text('source').notNull(), space: text('space').$type<SpaceId>().notNull(), seq: integer('seq').notNull() },
  (table) => [primaryKey({ columns: [table.source, table.space, table.seq] })],
);

export const documents = sqliteTable('documents', {
  hash: text('hash').primaryKey(),
  /** The text. In the database, it can be the name of an object instead; see `TextStore`. */
  markdown: text('markdown').notNull(),
  bytes: integer('bytes').notNull(),
  /**
   * The anchors of the text, each between newlines. It is '' if some anchors do not follow from the text alone, and
   * null until the sweep has parsed the text.
   */
  anchors: text('anchors'),
});

/** Objects to which no document refers. Each contains a text that was moved out of the database. */
export const unusedTexts = sqliteTable('unused_texts', {
  object: text('object').primaryKey(),
  /** The object is deleted after this time. */
  deleteAt: integer('delete_at').notNull(),
  /** True while the object is being deleted. No document may refer to it any more. */
  deleting: integer('deleting', { mode: 'boolean' }).notNull().default(false),
});

export const documentLinks = sqliteTable(
  'document_links',
  {
    hash: text('hash').notNull(),
    ordinal: integer('ordinal').notNull(),
    relation: text('relation').$type<'reference' | 'dependsOn'>().notNull(),
    kind: text('kind').$type<'url' | 'internal'>().notNull(),
    target: text('target').notNull(),
    /** The conditions under which the link is shown, in JSON; null if it is always shown. */
    conditions: text('conditions'),
  },
  (table) => [primaryKey({ columns: [table.hash, table.ordinal] })],
);

/** The specifications that the blocks of a document refer to, by slug. */
export const documentSpecs = sqliteTable(
  'document_specs',
  {
    hash: text('hash').notNull(),
    spec: text('spec').notNull(),
    /** The conditions under which the document shows the specification, in JSON; null if it always does. */
    conditions: text('conditions'),
  },
  (table) => [primaryKey({ columns: [table.hash, table.spec] })],
);

/** File contents, by their key in the bucket: `<organization>/<SHA-256>`. */
export const blobs = sqliteTable('blobs', {
  key: text('key').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  bytes: integer('bytes').notNull(),
  contentType: text('content_type').notNull(),
  width: integer('width'),
  height: integer('height'),
  /** The start time of the last upload. Blobs that were claimed within the last hour are not swept. */
  claimedAt: integer('claimed_at').notNull(),
  /** After this time, no upload may use the blob, because its bytes are being deleted. */
  doomedAt: integer('doomed_at'),
  /** False until a version that refers to the blob is committed. */
  settled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  /** The object key of the bytes, if it differs from `key` because the hash was not known during the upload. */
  object: text('object'),
});

/**
 * Files that are uploaded to a URL of their own. Their bytes are stored at `uploads/<id>`; an incomplete last part is
 * stored separately.
 */
export const uploads = sqliteTable('uploads', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  createdBy: text('created_by').$type<UserId>().notNull(),
  name: text('name').notNull(),
  /** The declared type, later replaced by the type detected from the bytes. */
  contentType: text('content_type').notNull(),
  size: integer('size').notNull(),
  kind: text('kind').$type<StorageUploadKind>().notNull(),
  /** Number of stored bytes. */
  received: integer('received').notNull().default(0),
  /** The id of the multipart upload in the bucket, and its parts. */
  multipart: text('multipart'),
  parts: storedJson('parts', UploadedParts).notNull().default([]),
  /**
   * The request that may write the bytes, and the number of requests that have had this right. A later request takes
   * over the right.
   */
  writer: text('writer'),
  turn: integer('turn').notNull().default(0),
  /**
   * The upload bundle. Its URL receives the bytes of several uploads, concatenated in the order of `ordinal`. Null if
   * the upload has its own URL.
   */
  bundle: text('bundle'),
  ordinal: integer('ordinal').notNull().default(0),
  /** Set when all bytes are stored: the key of their blob, and values derived from them. */
  blob: text('blob'),
  oid: text('oid'),
  width: integer('width'),
  height: integer('height'),
  /** Whether a version refers to the bytes, so that the upload is no longer pending. */
  settled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export type NodeKind = 'page' | 'file' | 'reusable-content' | 'variable';

/** The value of the column `until` in a version that is still current. */
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
 * The objects that a version of a page or reusable content uses, maintained by triggers: ids of files and reusable
 * contents, and `openapi:` with the slug of a specification.
 */
export const versionUses = sqliteTable(
  'version_uses',
  {
    branch: text('branch').$type<BranchId>().notNull(),
    /** The id of the used object. A row with '' means that the text of the version has conditions. */
    used: text('used').notNull(),
    until: integer('until').notNull(),
    kind: text('kind').$type<NodeKind>().notNull(),
    id: text('id').notNull(),
    since: integer('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.branch, table.used, table.until, table.kind, table.id, table.since] })],
);

/** Titles of embedded URLs. Each is requested from the provider once; null if the response had no title. */
export const embeds = sqliteTable('embeds', {
  url: text('url').primaryKey(),
  title: text('title'),
  readAt: integer('read_at').notNull(),
});

/** The phase of an import. When an import ends, successfully or not, it deletes the data that it collected. */
type ImportPhase = 'gather' | 'place' | 'link' | 'arrive' | 'clean' | 'ended';

export const imports = sqliteTable('imports', {
  id: text('id').$type<ImportId>().primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  branch: text('branch').$type<EditableBranchId>().notNull(),
  source: text('source').$type<ImportSource>().notNull(),
  url: text('url').notNull(),
  status: text('status').$type<ImportStatus>().notNull().default('running'),
  phase: text('phase').$type<ImportPhase>().notNull().default('gather'),
  error: text('error'),
  /** The URL prefix of the imported site. */
  folder: text('folder').notNull().default(''),
  robots: text('robots').notNull().default(''),
  navigation: storedJson('navigation', Navigation).notNull().default([]),
  /** The revision of the target branch when the import started, and its lineage. */
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
  /** The number of script runs that led to the request that started the import. */
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

/** Favorite spaces and pages of users, in the order of `position`. `page` is '' for a space. */
export const favorites = sqliteTable('favorites', {
  id: text('id').primaryKey(),
  user: text('user').$type<UserId>().notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  page: text('page').notNull().default(''),
  position: integer('position').notNull(),
});

/** The spaces and pages that a user opened last. `page` is '' for a space. */
export const recents = sqliteTable(
  'recents',
  {
    user: text('user').$type<UserId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    page: text('page').notNull().default(''),
    openedAt: integer('opened_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.user, table.space, table.page] })],
);
