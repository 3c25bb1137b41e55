import type { CausedEvent, Database, Parameter, RecordOf, Row, Statement } from '@octavo/db';
import {
  abortUnless,
  blobs,
  computed,
  deleteLineageSources,
  deleteSpace,
  fromQuery,
  getOnlyRow,
  imports,
  nullable,
  prepareQuery,
  purgeDiscussions,
  readRows,
  revisions,
  runBatch,
  searchGeneratedPages,
  searchIncludes,
  searchSources,
  searchTexts,
  selection,
  selectLineageSources,
  spaces,
  versions,
} from '@octavo/db';
import type { jobData, NewEvent, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type * as z from 'zod';
import type { ContentEnvironment } from '../../environment.ts';
import { archiveKey } from '../imports/plan-archive.ts';
import { compactIndex } from '../search/compact-index.ts';

export type PurgeData = z.infer<typeof jobData.purge_space>;

/**
 * The writes of one step of a purge, and the position from which the next step continues; `next` is undefined after the
 * last step.
 */
export interface PurgePart {
  statements: Statement[];
  next: PurgeData | undefined;
  events?: CausedEvent[];
}

export interface Purge {
  space: SpaceId;
  after: PurgeData['after'];
  files: R2Bucket;
}

/**
 * A stage of a purge: finds and deletes the next rows. A stage may run twice, because deleted rows are not found again.
 */
export type Stage = (db: Database, purge: Purge) => Promise<PurgePart>;

/** Maximum number of rows of one kind that a step deletes or reads to find them. */
export const maxRows = 500;

export const hour = 3_600_000;
const day = 24 * hour;

/** The SQL condition that a version of a file uses the blob, on any branch and of any age. */
const isUsed = sql`EXISTS (SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = +blobs.key)`;

/** The conditions under which a blob is in use. */
const getUses = (): SQL[] => [
  isUsed,
  sql`EXISTS (SELECT 1 FROM uploads u WHERE u.blob = +blobs.key AND u.expires_at > ${Date.now()})`,
];

const isUnused = (): SQL => sql`NOT (${sql.join(getUses(), sql` OR `)})`;

const doomedRow = selection({ doomed: fromQuery(blobs.key), object: fromQuery(blobs.object) });

/**
 * Marks blobs for deletion. A marked blob accepts no upload. The caller then deletes its bytes, and finally its row.
 */
const markBlobsForDeletion = (condition: SQL): Statement =>
  doomedRow.query(
    sql`UPDATE blobs SET doomed_at = ${Date.now()} WHERE ${condition} RETURNING key AS ${doomedRow.names.doomed},
      object AS ${doomedRow.names.object}`,
  );

/** Marks the blobs that are no longer in use for deletion. A blob claimed within the last hour is left to the sweep. */
function releaseBlobs(keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const released = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND ${isUnused()}`;
  return [markBlobsForDeletion(sql`${released} AND doomed_at IS NULL AND claimed_at < ${Date.now() - hour}`)];
}

/**
 * Selects the keys of blobs that were claimed more than a day ago and are not settled, or that were marked for deletion
 * more than an hour ago and still exist.
 */
export const selectUnusedBlobs = (): SQL => sql`
  SELECT * FROM (SELECT key FROM blobs WHERE settled = 0 AND doomed_at IS NULL AND claimed_at < ${Date.now() - day}
    ORDER BY claimed_at LIMIT ${maxRows})
  UNION SELECT * FROM (SELECT key FROM blobs WHERE doomed_at IS NOT NULL AND doomed_at < ${Date.now() - hour}
    ORDER BY doomed_at LIMIT ${maxRows})`;

/**
 * Marks the blobs found by `selectUnusedBlobs` for deletion. Blobs that a version uses are settled instead. A run takes
 * less than an hour, so even a slow run never deletes bytes that were stored again in the meantime.
 */
export function sweepBlobs(db: Database, keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const unusedBlobs = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const overdue = sql`CASE WHEN doomed_at IS NULL THEN settled = 0 AND claimed_at < ${Date.now() - day}
    ELSE doomed_at < ${Date.now() - hour} END`;
  return [
    db.run(sql`UPDATE blobs SET settled = 1 WHERE ${unusedBlobs} AND doomed_at IS NULL AND ${isUsed}`),
    markBlobsForDeletion(sql`${unusedBlobs} AND ${overdue} AND ${isUnused()}`),
  ];
}

/** Returns the keys of blobs marked for deletion, and of the other objects that contain bytes of such blobs. */
export const getKeysToDelete = (rows: Row[]): string[] =>
  rows.flatMap(({ doomed, object }) =>
    typeof doomed === 'string' ? [doomed, ...(typeof object === 'string' ? [object] : [])] : [],
  );

/** The limit of R2 for one delete call. */
const objectsPerDelete = 1000;

/** Deletes the bytes of blobs marked for deletion, and then their rows. Until the rows are deleted, the sweep finds them again. */
export async function deleteBytes(
  { env, db }: { env: Pick<ContentEnvironment, 'FILES'>; db: Database },
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  for (let start = 0; start < keys.length; start += objectsPerDelete)
    await env.FILES.delete(keys.slice(start, start + objectsPerDelete));
  const rows = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  await runBatch(db, [db.run(sql`DELETE FROM blobs WHERE ${rows} AND doomed_at IS NOT NULL`)]);
}

const foundRow = selection({ id: fromQuery(String) });

const selectRevisions = (condition: SQL) =>
  sql`SELECT * FROM (SELECT id, branch FROM revisions WHERE ${condition} ORDER BY branch LIMIT ${maxRows})`;

/**
 * Deletes the branches of change requests: first their versions, then the revisions by which the branches are found.
 */
export const purgeBranches: Stage = async (db, { space }) => {
  const selectedBranches = sql`some AS MATERIALIZED (${selectRevisions(sql`space = ${space} AND branch < ${space}`)}
    UNION ALL ${selectRevisions(sql`space = ${space} AND branch > ${space}`)} LIMIT ${maxRows})`;
  const { found, versions } = await runBatch(db, {
    found: foundRow.query(sql`WITH ${selectedBranches} SELECT id FROM some`),
    versions:
      versionRow.query(sql`WITH ${selectedBranches} SELECT ${versionRow} FROM (SELECT DISTINCT branch FROM some) b
      CROSS JOIN versions v ON v.branch = b.branch LIMIT ${maxRows}`),
  });
  const ids = JSON.stringify(found.map(({ id }) => id));
  const areBranchesEmpty = versions.length < maxRows;
  return {
    statements: [
      ...deleteVersions(db, versions),
      ...(areBranchesEmpty
        ? [db.run(sql`DELETE FROM revisions WHERE +space = ${space} AND id IN (SELECT value FROM json_each(${ids}))`)]
        : []),
    ],
    next: { stage: areBranchesEmpty && found.length < maxRows ? 'change_requests' : 'branches' },
  };
};

const leftRow = selection({ discussed: fromQuery(Boolean), requests: fromQuery(Number) });

/** Deletes reactions, replies and comments, and then change requests. */
export const purgeChangeRequests: Stage = async (db, { space }) => {
  const remainingQuery = leftRow.with({
    discussed: sql.join(
      ['reactions', 'comment_replies', 'comments'].map((table) => selectExists(table, space)),
      sql` OR `,
    ),
    requests: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM change_requests WHERE space = ${space} LIMIT ${maxRows}))`,
  });
  const { discussed, requests } = getOnlyRow(await readRows(db, leftRow.query(sql`SELECT ${remainingQuery}`)));
  return {
    statements: discussed || requests > 0 ? purgeDiscussions(db, space, maxRows) : [],
    next: { stage: discussed || requests === maxRows ? 'change_requests' : 'search' },
  };
};

const selectExists = (table: string, space: SpaceId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;

const maxImports = 50;

const findImports = prepareQuery(
  selection({ id: imports.id }),
  (select, space: Parameter<SpaceId>, limit: Parameter<number>) =>
    select.from(imports).where(eq(imports.space, space)).limit(limit),
);

/**
 * Deletes imports, including a running one: without its record, none of its steps writes anything, and its branch is
 * deleted next.
 */
export const purgeImports: Stage = async (db, { space, files }) => {
  const imports = await readRows(db, findImports(space, maxImports));
  if (imports.length === 0) return { statements: [], next: { stage: 'branches' } };
  const ids = imports.map(({ id }) => id);
  await files.delete(ids.map(archiveKey));
  const selectedIds = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return {
    statements: [
      db.run(sql`DELETE FROM import_addresses WHERE (import, address) IN (
        SELECT import, address FROM import_addresses WHERE import IN ${selectedIds} LIMIT ${maxRows})`),
      db.run(sql`DELETE FROM imports WHERE id IN ${selectedIds} AND space = ${space}
        AND NOT EXISTS (SELECT 1 FROM import_addresses a WHERE a.import = imports.id)`),
    ],
    next: { stage: 'imports' },
  };
};

const idRow = selection({ id: fromQuery(revisions.id) });

/**
 * Deletes the revisions of the space's own branch. Revisions of other branches stay, because `purgeBranches` finds a
 * branch by its revisions, and may not have deleted every branch yet.
 */
export const purgeRevisions: Stage = async (db, { space }) => {
  const selectedRevisions = sql`SELECT id FROM revisions WHERE branch = ${space} AND space = ${space} LIMIT ${maxRows}`;
  const revisions = await readRows(db, idRow.query(selectedRevisions));
  return {
    statements: [db.run(sql`DELETE FROM revisions WHERE id IN (${selectedRevisions})`)],
    next: { stage: revisions.length < maxRows ? 'space' : 'revisions' },
  };
};

/** Tables that refer to a space. They must have no rows of the space before the row of the space itself is deleted. */
const tables = [
  ...['imports', 'revisions', 'change_requests', 'reviews', 'requested_reviewers'],
  ...['comments', 'comment_replies', 'reactions', 'search_sources', 'search_made_pages', 'search_includes'],
  ...['search_sections', 'search_pages', 'search_conditions'],
];

const ownRow = selection({ organization: spaces.organization, parent: spaces.parent });
const findSpaceById = prepareQuery(ownRow, (select, id: Parameter<SpaceId>) =>
  select.from(spaces).where(eq(spaces.id, id)),
);

/**
 * Deletes the space last, with its grants, invites and counters, and releases the branches of other spaces that it
 * reads.
 */
export const purgeRow: Stage = async (db, { space }) => {
  const {
    rows: [row],
    sources,
  } = await runBatch(db, {
    rows: findSpaceById(space),
    sources: selectLineageSources(space),
  });
  if (row === undefined) return { statements: [], next: undefined };
  const { organization } = row;
  const purged: NewEvent = { type: 'space.purged', organization, space, data: {} };
  const released = deleteLineageSources(db, space, sources);
  const deleted = deleteSpace(db, { space, organization });
  // The collection deleted together with the space may be empty now.
  const sweep: NewEvent = { type: 'sweep_expired', data: {} };
  return {
    statements: [
      ...tables.map((table) =>
        abortUnless(db, sql`NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`),
      ),
      ...released.statements,
      ...deleted.statements,
    ],
    next: undefined,
    events: [...deleted.events, purged, ...released.events, ...(row.parent === null ? [] : [sweep])],
  };
};

const madeRow = selection({ page: fromQuery(searchGeneratedPages.page) });
const sourceRow = selection({ source: fromQuery(searchSources.source) });
const includeRow = selection({ page: fromQuery(searchIncludes.page) });
const textRow = selection({ key: fromQuery(searchTexts.key), part: fromQuery(searchTexts.part) });

/** Maximum number of sections that one step deletes from the index of the previous version, word by word. */
const maxSections = sql.raw('100');
const formerRow = selection({ key: fromQuery((key: string | number) => String(key)) });

/**
 * Removes the space from the search index of its organization, one segment at a time, and from the previous version's
 * index.
 */
export const purgeSearch: Stage = async (db, { space }) => {
  const ofSections = sql`SELECT id AS key FROM search_sections WHERE space = ${space} LIMIT ${maxSections}`;
  const ofPages = sql`SELECT page AS key FROM search_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const ofConditions = sql`SELECT condition AS key FROM search_conditions WHERE space = ${space} LIMIT ${maxRows}`;
  const ofSources = sql`SELECT source FROM search_sources WHERE space = ${space} LIMIT ${maxRows}`;
  const ofMade = sql`SELECT page FROM search_made_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const ofIncludes = sql`SELECT content, page FROM search_includes WHERE space = ${space} LIMIT ${maxRows}`;
  const ofTexts = sql`SELECT key, part FROM search_texts WHERE key > ${`${space}/`} AND key < ${`${space}0`} LIMIT ${maxRows}`;
  const { owners, ...others } = await runBatch(db, {
    owners: findSpaceById(space),
    made: madeRow.query(ofMade),
    sources: sourceRow.query(ofSources),
    includes: includeRow.query(ofIncludes),
    texts: textRow.query(ofTexts),
    sections: formerRow.query(ofSections),
    pages: formerRow.query(ofPages),
    conditions: formerRow.query(ofConditions),
  });
  const organization = owners[0]?.organization;
  const compaction = organization === undefined ? undefined : await compactIndex(db, organization);
  const isMore =
    compaction?.isMore || others.sections.length > 0 || Object.values(others).some(({ length }) => length === maxRows);
  return {
    statements: [
      ...(compaction?.statements ?? []),
      db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${ofMade})`),
      db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND source IN (${ofSources})`),
      db.run(sql`DELETE FROM search_includes WHERE space = ${space} AND (content, page) IN (${ofIncludes})`),
      db.run(sql`DELETE FROM search_texts WHERE (key, part) IN (${ofTexts})`),
      db.run(sql`DELETE FROM search_sections WHERE id IN (${ofSections})`),
      db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${ofPages})`),
      db.run(sql`DELETE FROM search_conditions WHERE space = ${space} AND condition IN (${ofConditions})`),
    ],
    next: { stage: isMore ? 'search' : 'versions' },
  };
};

/**
 * Deletes the versions of the space's own branch in a single pass. Versions that other spaces still read are kept, so
 * starting again from the first row would find them again.
 */
export const purgeVersions: Stage = async (db, { space, after: [kind, id, since] = ['', '', 0] }) => {
  const versions = versionRow.query(sql`SELECT ${versionRow} FROM versions v
    WHERE v.branch = ${space} AND (v.kind, v.id, v.since) > (${kind}, ${id}, ${since})
    ORDER BY v.kind, v.id, v.since LIMIT ${maxRows}`);
  const rows = await readRows(db, versions);
  const last = rows.length < maxRows ? undefined : rows.at(-1);
  return {
    statements: deleteVersions(db, rows),
    next: last === undefined ? { stage: 'revisions' } : { stage: 'versions', after: [last.kind, last.id, last.since] },
  };
};

const v = aliasedTable(versions, 'v');

/** The columns of a version `v` that `deleteVersions` needs. */
const versionRow = selection({
  branch: v.branch,
  kind: v.kind,
  id: v.id,
  since: v.since,
  document: v.document,
  blob: nullable(computed(String, sql`CASE v.kind WHEN 'file' THEN v.data->>'$.fields.blob' END`)),
});

/** The SQL condition that the lineage of another space reads the version, at a seq from `since` up to `until`. */
const isReadByOthers = sql`EXISTS (SELECT 1 FROM lineage_sources l
  WHERE l.source = versions.branch AND l.seq >= versions.since AND l.seq < versions.until)`;

/**
 * Deletes versions that no other space reads, with documents and blobs that are no longer used. One batch, so a
 * concurrent version that uses one of them is either written before it or stores it again.
 */
function deleteVersions(db: Database, rows: RecordOf<typeof versionRow>[]): Statement[] {
  if (rows.length === 0) return [];
  const keys = JSON.stringify(rows.map(({ branch, kind, id, since }) => [branch, kind, id, since]));
  const listDistinct = (column: 'document' | 'blob') => [...new Set(rows.flatMap((row) => row[column] ?? []))];
  return [
    db.run(sql`DELETE FROM versions WHERE (branch, kind, id, since) IN (
      SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${keys})) AND NOT ${isReadByOthers}`),
    db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${JSON.stringify(listDistinct('document'))}))
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = documents.hash)`),
    ...releaseBlobs(listDistinct('blob')),
  ];
}

/** The time during which a deleted space can be restored, in milliseconds. */
const trashDuration = 7 * 24 * 3_600_000;

/** Returns the time before which deleted spaces can no longer be restored. */
export const getTrashEnd = (now: number): number => now - trashDuration;
