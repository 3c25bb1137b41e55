import type { Database, Statement } from '@octavo/db';
import { documents, foreverSeq, fromQuery, getOnlyRow, runBatch, selectBranchLineage, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { findTexts, isMovedText } from '../store/revisions.ts';
import { maxParallelObjects, readStoredText, toTextKey } from './text-store.ts';

/** Limits of a step: documents that are examined, and texts that are moved. */
const maxExamined = 1000;
const maxMoved = 60;
const maxMovedBytes = 8_000_000;

/** Shorter texts stay in the database, because an object saves little space for them. */
const minBytes = 1000;

/** A text with more versions stays in the database, so that a step examines a limited number of them. */
const maxVersions = sql.raw('1000');

/**
 * Maximum number of open change requests of a space whose bases are examined. A text that only the base of another
 * change request uses may be moved too, and is then read from the bucket.
 */
const maxChangeRequests = sql.raw('100');

/**
 * The SQL condition that a version `v` is in use, or was in use after `end`: at the head of a space or an open change
 * request, at the base of an open change request, or by another space that reads this branch.
 */
const isInUse = (end: number) => sql`(
  CASE v.until WHEN ${foreverSeq} THEN NOT EXISTS (
    SELECT 1 FROM change_requests cr WHERE cr.id = v.branch AND cr.status IN ('merged', 'archived') AND cr.updated_at < ${end})
  ELSE NOT EXISTS (SELECT 1 FROM revisions r WHERE r.branch = v.branch AND r.seq = v.until AND r.created_at < ${end}) END
  OR EXISTS (SELECT 1 FROM lineage_sources l WHERE l.source = v.branch AND l.seq >= v.since AND l.seq < v.until)
  OR EXISTS (
    SELECT 1 FROM (
      SELECT cr.id FROM change_requests cr
      WHERE cr.space = v.branch AND cr.status IN ('draft', 'open') AND cr.created_at < ${end} LIMIT ${maxChangeRequests}) cr
    CROSS JOIN json_each(${selectBranchLineage(sql`cr.id`)}) l
    WHERE l.value->>0 = v.branch AND l.value->>1 >= v.since AND l.value->>1 < v.until))`;

/** The SQL condition that a version of `documents d` is in use, or that it has too many versions to find out. */
const isUsed = (end: number) => sql`(
  EXISTS (SELECT 1 FROM (SELECT * FROM versions WHERE document = d.hash LIMIT ${maxVersions}) v WHERE ${isInUse(end)})
  OR (SELECT COUNT(*) FROM (SELECT 1 FROM versions WHERE document = d.hash LIMIT ${maxVersions})) = ${maxVersions})`;

const isMoved = isMovedText(sql`d.markdown`);

const movableRow = selection({ hash: fromQuery(String), bytes: fromQuery(Number), isMoved: fromQuery(Boolean) });
const examinedRow = selection({ last: fromQuery(documents.anchors), count: fromQuery(Number) });

/**
 * Finds texts to move among the next documents by hash: texts that nothing has used since `end`, and moved texts that
 * are in use again. Texts with the word `visitor` stay, because sites use SQL to find texts that name claims of
 * visitors.
 */
async function findMovableTexts(db: Database, { after, end }: TextRange) {
  const next = sql`SELECT hash FROM documents WHERE hash > ${after} ORDER BY hash LIMIT ${sql.raw(String(maxExamined))}`;
  const { movable, examined } = await runBatch(db, {
    movable: movableRow.query(sql`
      SELECT d.hash, d.bytes, ${isMoved} AS is_moved FROM documents d
      WHERE d.hash > ${after} AND d.hash <= (SELECT MAX(hash) FROM (${next})) AND d.bytes >= ${sql.raw(String(minBytes))}
        AND ${isMoved} = ${isUsed(end)} AND (${isMoved} OR instr(d.markdown, 'visitor') = 0)
      ORDER BY d.hash LIMIT ${sql.raw(String(maxMoved))}`),
    examined: examinedRow.query(sql`SELECT MAX(hash) AS last, COUNT(*) AS count FROM (${next})`),
  });
  const { last, count } = getOnlyRow(examined);
  let bytes = 0;
  const within = movable.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= maxMovedBytes;
  });
  const isCut = movable.length === maxMoved || within.length < movable.length;
  return {
    movable: within,
    next: isCut ? within.at(-1)?.hash : count === maxExamined ? (last ?? undefined) : undefined,
  };
}

interface NamedText {
  hash: string;
  object: string;
  markdown: string;
}

/** The position of a step, and the time since which a text must be unused to be moved. */
export interface TextRange {
  after: string;
  end: number;
}

/** Returns a random name. It is short, because it takes the place of the text. */
const createObjectName = (): string => crypto.randomUUID().replaceAll('-', '');

/**
 * Stores texts in new objects, which it first records as unused, so that an interrupted step leaves no objects behind.
 * Returns the texts that were read back without a difference.
 */
async function storeTexts(db: Database, bucket: R2Bucket, texts: NamedText[]): Promise<NamedText[]> {
  if (texts.length === 0) return [];
  const objects = JSON.stringify(texts.map(({ object }) => object));
  await runBatch(
    db,
    db.run(sql`INSERT INTO unused_texts (object, delete_at)
      SELECT value, ${Date.now() + 3_600_000} FROM json_each(${objects})`),
  );
  const stored: NamedText[] = [];
  for (let start = 0; start < texts.length; start += maxParallelObjects)
    await Promise.all(
      texts.slice(start, start + maxParallelObjects).map(async (text) => {
        await bucket.put(toTextKey(text.object), new TextEncoder().encode(text.markdown));
        if ((await readStoredText(bucket, text.object)) === text.markdown) stored.push(text);
      }),
    );
  return stored;
}

/**
 * Returns the statements that replace texts by the names of their objects. A text that is in use again is not replaced,
 * nor one whose object is being deleted because this step has taken too long. The texts that search stores for these
 * documents are deleted too. The rows are moved to the end of the table, because SQLite leaves two thirds of a database
 * page empty when its rows become shorter.
 */
function replaceTexts(db: Database, texts: NamedText[], end: number): Statement[] {
  if (texts.length === 0) return [];
  const pairs = JSON.stringify(texts.map(({ hash, object }) => [hash, object]));
  const moved = sql`SELECT p.value->>0 AS hash, p.value->>1 AS object FROM json_each(${pairs}) p
    CROSS JOIN documents d ON d.hash = p.value->>0 AND d.markdown = CAST(p.value->>1 AS BLOB)`;
  return [
    db.run(sql`UPDATE documents AS d SET markdown = CAST(p.value->>1 AS BLOB),
        rowid = (SELECT MAX(rowid) FROM documents) + 1 + p.key FROM json_each(${pairs}) p
      WHERE d.hash = p.value->>0 AND typeof(d.markdown) = 'text' AND NOT ${isUsed(end)}
        AND EXISTS (SELECT 1 FROM unused_texts u WHERE u.object = p.value->>1 AND u.deleting = 0)`),
    db.run(sql`DELETE FROM unused_texts WHERE object IN (SELECT object FROM (${moved}))`),
    db.run(sql`DELETE FROM search_texts WHERE key IN (SELECT hash FROM (${moved}))`),
  ];
}

const returnText = (db: Database, [hash, markdown]: [string, string]): Statement =>
  db.run(sql`UPDATE documents SET markdown = ${markdown} WHERE hash = ${hash} AND ${isMovedText(sql`markdown`)}`);

/**
 * Moves a limited number of texts: unused ones to the bucket, and used ones back. Returns the statements that make the
 * moves effective, and the hash after which the next step continues. Until these statements are run, all texts are
 * where they were.
 */
export async function moveNextTexts(
  db: Database,
  bucket: R2Bucket,
  range: TextRange,
): Promise<{ statements: Statement[]; next: string | undefined }> {
  const { movable, next } = await findMovableTexts(db, range);
  const getHashes = (rows: { hash: string }[]) => rows.map(({ hash }) => hash);
  const used = getHashes(movable.filter(({ isMoved }) => isMoved));
  const unused = getHashes(movable.filter(({ isMoved }) => !isMoved));
  // A text that cannot be read stays in the bucket. The failure is logged where it is read.
  const returned = await findTexts(db, used).catch(() => new Map<string, string>());
  const texts = [...(await findTexts(db, unused))].map(([hash, markdown]) => ({
    hash,
    object: createObjectName(),
    markdown,
  }));
  const stored = await storeTexts(db, bucket, texts);
  return {
    statements: [...[...returned].map((text) => returnText(db, text)), ...replaceTexts(db, stored, range.end)],
    next,
  };
}
