import type { Database, RevisionPoint, Row } from '@octavo/db';
import { decodeCursor, paginate, text } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { ContentQuery, File, List, PageQuery } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findNodes } from '../nodes/find-nodes.ts';
import { lineageCte, nodeColumns, seen } from '../nodes/lineage-sql.ts';
import { toNode } from '../nodes/stored-node.ts';
import type { FilePresentation } from './present-file.ts';
import { presentFile, presentFiles } from './present-file.ts';

interface Reading<Query> {
  db: Database;
  point: RevisionPoint;
  query: Query;
  to: Omit<FilePresentation, 'metadata'>;
}

/** A file by its id, at a revision. */
export async function readFileById(id: string, { db, point, query, to }: Reading<ContentQuery>): Promise<File> {
  const wanted = sql`SELECT 'file' AS kind, ${id} AS id`;
  const [row] = await findNodes(db, JSON.stringify(point.lineage), wanted);
  const node = row && toNode(row);
  if (node === undefined) throw notFound('file');
  return presentFile(node, { ...to, metadata: query.metadata });
}

/** The order of lists of files. */
export const newestFirst = (one: Node, other: Node): number =>
  compare(other.position, one.position) || compare(other.id, one.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The files at a revision, newest first; one round trip, and rows that follow the page, not the space. */
export async function readFiles({
  db,
  point,
  query: { page, limit, metadata },
  to,
}: Reading<ContentQuery & PageQuery>): Promise<List<File>> {
  const rows = await findFiles(db, { lineage: JSON.stringify(point.lineage), page, limit });
  const found = paginate(rows, limit, {
    item: requireNode,
    cursorOf: (row) => [text(row, 'position'), text(row, 'id')],
  });
  return { ...found, items: await presentFiles(found.items, { ...to, metadata }) };
}

function requireNode(row: Row): Node {
  const node = toNode(row);
  if (node === undefined) throw new Error('A query for live files gave a tombstone.');
  return node;
}

interface Page {
  lineage: string;
  page: string | undefined;
  limit: number;
}

/** Each branch of the lineage gives its first files after the cursor, by its index; of those the first are the page. */
function findFiles(db: Database, { lineage, page, limit }: Page): Promise<Row[]> {
  const [position, id] = decodeCursor(page, ['string', 'string']) ?? [];
  const after = position === undefined ? sql`1` : sql`(v.position, v.id) < (${position}, ${id})`;
  return db.all<Row>(sql`
    WITH ${lineageCte(lineage)}
    SELECT ${nodeColumns}
    FROM lineage l CROSS JOIN json_each((
      SELECT json_group_array(json_array(id, since)) FROM (
        SELECT v.id, v.since FROM versions v INDEXED BY versions_files
        WHERE v.kind = 'file' AND v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq AND v.deleted = 0
          AND ${after} AND ${seen}
        ORDER BY v.position DESC, v.id DESC LIMIT ${limit + 1}))) first
    CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'file' AND v.id = first.value->>0 AND v.since = first.value->>1
    ORDER BY v.position DESC, v.id DESC LIMIT ${limit + 1}`);
}
