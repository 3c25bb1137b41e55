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
  searchConditions,
  searchGeneratedPages,
  searchPages,
  searchSections,
  searchSources,
  selection,
  selectLineageSources,
  spaces,
  uploads,
  versions,
} from '@octavo/db';
import { log } from '@octavo/runtime';
import type { jobData, NewEvent, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type * as z from 'zod';
import type { ContentEnvironment } from '../../environment.ts';
import { archiveKey } from '../imports/plan-archive.ts';
import { objectOf, tailOf } from '../uploads/upload-record.ts';

export type PurgeData = z.infer<typeof jobData.purge_space>;

/** What a step of a purge writes, and where the next one goes on: undefined where this one is the last. */
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

/** Finds what a stage deletes next. It may run twice: what is gone already is not found again. */
export type Stage = (db: Database, purge: Purge) => Promise<PurgePart>;

/** The most rows of one kind that a step deletes, and that it reads to find them. */
export const maxRows = 500;

const hour = 3_600_000;
const day = 24 * hour;

/** A version of a file holds a blob, of whichever branch and however old. */
const isHeld = sql`EXISTS (SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = +blobs.key)`;

/** All that may refer to a blob, and keeps its bytes. */
const uses = (): SQL[] => [
  isHeld,
  sql`EXISTS (SELECT 1 FROM uploads u WHERE u.blob = +blobs.key AND u.expires_at > ${Date.now()})`,
];

const isUnused = (): SQL => sql`NOT (${sql.join(uses(), sql` OR `)})`;

const doomedRow = selection({ doomed: fromQuery(blobs.key), object: fromQuery(blobs.object) });

/** A blob that is doomed takes no upload any more: whoever doomed it deletes its bytes at once, and then its row. */
const doom = (which: SQL): Statement =>
  doomedRow.query(
    sql`UPDATE blobs SET doomed_at = ${Date.now()} WHERE ${which} RETURNING key AS ${doomedRow.names.doomed},
      object AS ${doomedRow.names.object}`,
  );

/** Dooms those of the blobs that nothing refers to any more; one that was claimed within the hour waits for the sweep. */
function releaseBlobs(keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const released = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND ${isUnused()}`;
  return [doom(sql`${released} AND doomed_at IS NULL AND claimed_at < ${Date.now() - hour}`)];
}

/** Keys of blobs that were uploaded a day ago and not used, or that a run doomed an hour ago and did not get to delete. */
export const selectLeftBlobs = (): SQL => sql`
  SELECT * FROM (SELECT key FROM blobs WHERE settled = 0 AND doomed_at IS NULL AND claimed_at < ${Date.now() - day}
    ORDER BY claimed_at LIMIT ${maxRows})
  UNION SELECT * FROM (SELECT key FROM blobs WHERE doomed_at IS NOT NULL AND doomed_at < ${Date.now() - hour}
    ORDER BY doomed_at LIMIT ${maxRows})`;

/**
 * Dooms blobs that `selectLeftBlobs` has found; those that a version holds after all are settled. No run lasts an hour:
 * a slow one never deletes bytes that were stored anew since.
 */
export function sweepBlobs(db: Database, keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const left = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const overdue = sql`CASE WHEN doomed_at IS NULL THEN settled = 0 AND claimed_at < ${Date.now() - day}
    ELSE doomed_at < ${Date.now() - hour} END`;
  return [
    db.run(sql`UPDATE blobs SET settled = 1 WHERE ${left} AND doomed_at IS NULL AND ${isHeld}`),
    doom(sql`${left} AND ${overdue} AND ${isUnused()}`),
  ];
}

/** What a batch doomed: the keys, and where else in the bucket their bytes are. */
export const doomedIn = (rows: Row[]): string[] =>
  rows.flatMap(({ doomed, object }) =>
    typeof doomed === 'string' ? [doomed, ...(typeof object === 'string' ? [object] : [])] : [],
  );

/** As many objects as R2 deletes at once. */
const deletedAtOnce = 1000;

/** Deletes the bytes of doomed blobs, and then their rows: until the rows are gone, the sweep finds them again. */
export async function deleteBytes(
  { env, db }: { env: Pick<ContentEnvironment, 'FILES'>; db: Database },
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  for (let start = 0; start < keys.length; start += deletedAtOnce)
    await env.FILES.delete(keys.slice(start, start + deletedAtOnce));
  const rows = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  await runBatch(db, [db.run(sql`DELETE FROM blobs WHERE ${rows} AND doomed_at IS NOT NULL`)]);
}

const foundRow = selection({ id: fromQuery(String) });

const revisionsWhere = (condition: SQL) =>
  sql`SELECT * FROM (SELECT id, branch FROM revisions WHERE ${condition} ORDER BY branch LIMIT ${maxRows})`;

/** The branches of change requests: first their versions, then the revisions by which the branches are found. */
export const purgeBranches: Stage = async (db, { space }) => {
  const some = sql`some AS MATERIALIZED (${revisionsWhere(sql`space = ${space} AND branch < ${space}`)}
    UNION ALL ${revisionsWhere(sql`space = ${space} AND branch > ${space}`)} LIMIT ${maxRows})`;
  const { found, versions } = await runBatch(db, {
    found: foundRow.query(sql`WITH ${some} SELECT id FROM some`),
    versions: versionRow.query(sql`WITH ${some} SELECT ${versionRow} FROM (SELECT DISTINCT branch FROM some) b
      CROSS JOIN versions v ON v.branch = b.branch LIMIT ${maxRows}`),
  });
  const ids = JSON.stringify(found.map(({ id }) => id));
  const bare = versions.length < maxRows;
  return {
    statements: [
      ...deleteVersions(db, versions),
      ...(bare
        ? [db.run(sql`DELETE FROM revisions WHERE +space = ${space} AND id IN (SELECT value FROM json_each(${ids}))`)]
        : []),
    ],
    next: { stage: bare && found.length < maxRows ? 'change_requests' : 'branches' },
  };
};

const leftRow = selection({ discussed: fromQuery(Boolean), requests: fromQuery(Number) });

/** Reactions, replies and comments first, and change requests once none of these are left. */
export const purgeChangeRequests: Stage = async (db, { space }) => {
  const left = leftRow.with({
    discussed: sql.join(
      ['reactions', 'comment_replies', 'comments'].map((table) => isIn(table, space)),
      sql` OR `,
    ),
    requests: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM change_requests WHERE space = ${space} LIMIT ${maxRows}))`,
  });
  const { discussed, requests } = getOnlyRow(await readRows(db, leftRow.query(sql`SELECT ${left}`)));
  return {
    statements: discussed || requests > 0 ? purgeDiscussions(db, space, maxRows) : [],
    next: { stage: discussed || requests === maxRows ? 'change_requests' : 'search' },
  };
};

const isIn = (table: string, space: SpaceId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;

const maxImports = 50;

const importsOf = prepareQuery(
  selection({ id: imports.id }),
  (select, space: Parameter<SpaceId>, limit: Parameter<number>) =>
    select.from(imports).where(eq(imports.space, space)).limit(limit),
);

/** Imports, also one that runs: without its record no step of it writes any more, and its branch goes next. */
export const purgeImports: Stage = async (db, { space, files }) => {
  const found = await readRows(db, importsOf(space, maxImports));
  if (found.length === 0) return { statements: [], next: { stage: 'branches' } };
  const ids = found.map(({ id }) => id);
  await files.delete(ids.map(archiveKey));
  const some = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return {
    statements: [
      db.run(sql`DELETE FROM import_addresses WHERE (import, address) IN (
        SELECT import, address FROM import_addresses WHERE import IN ${some} LIMIT ${maxRows})`),
      db.run(sql`DELETE FROM imports WHERE id IN ${some} AND space = ${space}
        AND NOT EXISTS (SELECT 1 FROM import_addresses a WHERE a.import = imports.id)`),
    ],
    next: { stage: 'imports' },
  };
};

const idRow = selection({ id: fromQuery(revisions.id) });

/** Those of the space's own branch: by the others their branches are found, and a purge may begin beyond that stage. */
export const purgeRevisions: Stage = async (db, { space }) => {
  const some = sql`SELECT id FROM revisions WHERE branch = ${space} AND space = ${space} LIMIT ${maxRows}`;
  const found = await readRows(db, idRow.query(some));
  return {
    statements: [db.run(sql`DELETE FROM revisions WHERE id IN (${some})`)],
    next: { stage: found.length < maxRows ? 'space' : 'revisions' },
  };
};

/** The tables that name a space, all of which have to be empty of it before its row goes. */
const tables = [
  ...['imports', 'revisions', 'change_requests', 'reviews', 'requested_reviewers'],
  ...['comments', 'comment_replies', 'reactions', 'search_sections', 'search_pages', 'search_conditions'],
  ...['search_sources', 'search_made_pages'],
];

const ownRow = selection({ organization: spaces.organization, parent: spaces.parent });
const spaceById = prepareQuery(ownRow, (select, id: Parameter<SpaceId>) =>
  select.from(spaces).where(eq(spaces.id, id)),
);

/** The space itself goes last, with its grants, invites and counters, and what it read of other spaces is free. */
export const purgeRow: Stage = async (db, { space }) => {
  const {
    rows: [row],
    sources,
  } = await runBatch(db, {
    rows: spaceById(space),
    sources: selectLineageSources(space),
  });
  if (row === undefined) return { statements: [], next: undefined };
  const { organization } = row;
  const purged: NewEvent = { type: 'space.purged', organization, space, data: {} };
  const released = deleteLineageSources(db, space, sources);
  const deleted = deleteSpace(db, { space, organization });
  // The collection that it was deleted with may be empty now.
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

/** A section is the text of some thousand characters that goes out of the index word by word. */
const maxSections = 100;

const sectionRow = selection({ id: fromQuery(searchSections.id) });
const pageRow = selection({ page: fromQuery(searchPages.page) });
const madeRow = selection({ page: fromQuery(searchGeneratedPages.page) });
const sourceRow = selection({ source: fromQuery(searchSources.source) });
const conditionRow = selection({ condition: fromQuery(searchConditions.condition) });

export const purgeSearch: Stage = async (db, { space }) => {
  const ofSections = sql`SELECT id FROM search_sections WHERE space = ${space} LIMIT ${maxSections}`;
  const ofPages = sql`SELECT page FROM search_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const ofConditions = sql`SELECT condition FROM search_conditions WHERE space = ${space} LIMIT ${maxRows}`;
  const ofSources = sql`SELECT source FROM search_sources WHERE space = ${space} LIMIT ${maxRows}`;
  const ofMade = sql`SELECT page FROM search_made_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const { sections, ...others } = await runBatch(db, {
    sections: sectionRow.query(ofSections),
    pages: pageRow.query(ofPages),
    conditions: conditionRow.query(ofConditions),
    made: madeRow.query(ofMade),
    sources: sourceRow.query(ofSources),
  });
  const isLast = sections.length < maxSections && Object.values(others).every(({ length }) => length < maxRows);
  return {
    statements: [
      db.run(sql`DELETE FROM search_sections WHERE id IN (${ofSections})`),
      db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${ofPages})`),
      db.run(sql`DELETE FROM search_conditions WHERE space = ${space} AND condition IN (${ofConditions})`),
      db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${ofMade})`),
      db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND source IN (${ofSources})`),
    ],
    next: { stage: isLast ? 'versions' : 'search' },
  };
};

/** One pass through the space's own branch, for what other spaces read stays behind. */
export const purgeVersions: Stage = async (db, { space, after: [kind, id, since] = ['', '', 0] }) => {
  const found = versionRow.query(sql`SELECT ${versionRow} FROM versions v
    WHERE v.branch = ${space} AND (v.kind, v.id, v.since) > (${kind}, ${id}, ${since})
    ORDER BY v.kind, v.id, v.since LIMIT ${maxRows}`);
  const rows = await readRows(db, found);
  const last = rows.length < maxRows ? undefined : rows.at(-1);
  return {
    statements: deleteVersions(db, rows),
    next: last === undefined ? { stage: 'revisions' } : { stage: 'versions', after: [last.kind, last.id, last.since] },
  };
};

const v = aliasedTable(versions, 'v');

/** What `deleteVersions` needs of a version `v`. */
const versionRow = selection({
  branch: v.branch,
  kind: v.kind,
  id: v.id,
  since: v.since,
  document: v.document,
  blob: nullable(computed(String, sql`CASE v.kind WHEN 'file' THEN v.data->>'$.fields.blob' END`)),
});

/** A lineage of another space reads the version: from its revision on until that by which it was superseded. */
const held = sql`EXISTS (SELECT 1 FROM lineage_sources l
  WHERE l.source = versions.branch AND l.seq >= versions.since AND l.seq < versions.until)`;

/**
 * Deletes versions, but for those that another space reads, with the documents and the bytes that nothing holds any more.
 * In one batch: a version that comes to hold one of them is written before it or stores it anew.
 */
function deleteVersions(db: Database, rows: RecordOf<typeof versionRow>[]): Statement[] {
  if (rows.length === 0) return [];
  const keys = JSON.stringify(rows.map(({ branch, kind, id, since }) => [branch, kind, id, since]));
  const distinct = (column: 'document' | 'blob') => [...new Set(rows.flatMap((row) => row[column] ?? []))];
  return [
    db.run(sql`DELETE FROM versions WHERE (branch, kind, id, since) IN (
      SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${keys})) AND NOT ${held}`),
    db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${JSON.stringify(distinct('document'))}))
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = documents.hash)`),
    ...releaseBlobs(distinct('blob')),
  ];
}

const abortedAtOnce = 20;

const u = aliasedTable(uploads, 'u');
const leftUploadRow = selection({
  id: u.id,
  multipart: u.multipart,
  isWhole: fromQuery(Boolean),
  isHeld: fromQuery(Boolean),
});
export type LeftUpload = RecordOf<typeof leftUploadRow>;

/** Uploads that have been over for an hour: no request still writes to one. Some are held by a blob, which keeps the bytes. */
export const leftUploads = () =>
  leftUploadRow.query(
    sql`SELECT ${leftUploadRow.with({
      isWhole: sql`u.blob IS NOT NULL`,
      isHeld: sql`EXISTS (SELECT 1 FROM blobs b WHERE b.object = 'uploads/' || u.id)`,
    })} FROM uploads u WHERE u.expires_at < ${Date.now() - hour} ORDER BY u.expires_at LIMIT ${maxRows}`,
  );

/** Deletes what came of uploads and is held by nothing, before their rows: until those are gone, they are found again. */
export async function deleteUploaded({ FILES }: Pick<ContentEnvironment, 'FILES'>, left: LeftUpload[]): Promise<void> {
  const begun = left.flatMap(({ id, multipart, isWhole }) =>
    multipart === null || isWhole ? [] : [{ key: objectOf(id), multipart }],
  );
  for (let start = 0; start < begun.length; start += abortedAtOnce) {
    const some = begun.slice(start, start + abortedAtOnce);
    await Promise.all(some.map(({ key, multipart }) => abort(FILES, key, multipart)));
  }
  const objects = left.flatMap(({ id, isHeld }) => [tailOf(id), ...(isHeld ? [] : [objectOf(id)])]);
  if (objects.length > 0) await FILES.delete(objects);
}

/** One that the bucket has forgotten, or completed, is no reason to keep the others: the bucket ends it after a week. */
const abort = (files: R2Bucket, key: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(key, multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'could not abort a multipart upload', { key, cause: String(error) }));

export function forgetUploads(db: Database, left: LeftUpload[]): Statement[] {
  if (left.length === 0) return [];
  const ids = JSON.stringify(left.map(({ id }) => id));
  return [db.run(sql`DELETE FROM uploads WHERE id IN (SELECT value FROM json_each(${ids}))`)];
}

/** How long a deleted space can be restored. */
const millisecondsInTrash = 7 * 24 * 3_600_000;

/** What was deleted before this moment is beyond restoring. */
export const endOfTrash = (now: number): number => now - millisecondsInTrash;
