import type { Database, NodeKind, Parameter } from '@octavo/db';
import { blobs, documents, nullable, prepareQuery, readRow, revisions, selection } from '@octavo/db';
import type { RevisionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq, sql } from 'drizzle-orm';
import { linkRow } from '../../engine/links/document-links.ts';
import {
  createLineageCte,
  isNearest,
  nodeRow,
  queryAllNodes,
  queryDescendants,
  queryNodes,
  selectRevisionLineage,
  selectState,
} from '../../engine/store/lineage.ts';

/** The revision that a book contains. */
interface BookRevision {
  space: SpaceId;
  revision: RevisionId;
}

const knownRow = selection({ id: revisions.id });

export const findRevision = prepareQuery(
  knownRow,
  (select, space: Parameter<SpaceId>, revision: Parameter<RevisionId>) =>
    select.from(revisions).where(and(eq(revisions.id, revision), eq(revisions.space, space))),
);

export const readBookNodes = (book: BookRevision, kind: NodeKind) => queryAllNodes(selectRevisionLineage(book), kind);

export const readBookNode = (book: BookRevision, kind: NodeKind, id: string) =>
  queryNodes(selectRevisionLineage(book), sql`SELECT ${kind} AS kind, ${id} AS id`);

export const readBookDescendants = (book: BookRevision, page: string) =>
  queryDescendants(selectRevisionLineage(book), sql`SELECT ${page}`);

const maxTextBytes = 2 * 1024 * 1024;

export const textRow = selection({ ...nodeRow.fields, markdown: nullable(documents.markdown) });

/** A WITH clause that selects the first pages with their texts, up to the size limit. */
export const selectPagesWithTexts = (lineage: SQL, pageIds: string): SQL => sql`
  WITH ${createLineageCte(lineage)}, wanted(ordinal, id) AS MATERIALIZED (SELECT key, value FROM json_each(${pageIds})),
  pages AS MATERIALIZED (
    SELECT v.*, w.ordinal FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)}
    WHERE v.deleted = 0 AND ${isNearest}),
  texts AS MATERIALIZED (
    SELECT p.*, d.markdown FROM (
      SELECT p.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY p.ordinal) AS total
      FROM pages p LEFT JOIN documents sized ON sized.hash = p.document) p
    LEFT JOIN documents d ON d.hash = p.document
    WHERE p.total <= ${maxTextBytes} OR p.ordinal = (SELECT MIN(ordinal) FROM pages))`;

const objectRow = selection({ object: blobs.object });
const findBlobObject = prepareQuery(objectRow, (select, key: Parameter<string>) =>
  select.from(blobs).where(eq(blobs.key, key)),
);

/** Reads the bytes of a large file, which stay in the object to which they were uploaded. */
export async function readUploadedBytes(db: Database, blob: string, bucket: R2Bucket): Promise<R2ObjectBody | null> {
  const row = await readRow(db, findBlobObject(blob));
  return row?.object == null ? null : bucket.get(row.object);
}

/** Returns the query for the links of documents, by document hash. */
export const queryDocumentLinks = (hashes: SQL) =>
  linkRow.query(sql`SELECT ${linkRow} FROM document_links d WHERE d.hash IN (${hashes}) ORDER BY d.hash, d.ordinal`);
