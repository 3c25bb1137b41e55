import { decodeCursor, paginate, readRow, readRows, runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Handler } from '@octavo/runtime';
import type { content, Served, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import {
  filePlace,
  newestFirst,
  presentFile,
  presentFiles,
  visitedPlace,
} from '../../engine/reading/file-presenter.ts';
import { readShown, readShownUse, ShownContent, shownUse } from '../../engine/reading/visibility.ts';
import { findAllNodes, findNodes, lineageCte, nodeRow, seen } from '../../engine/store/lineage.ts';
import type { NodeRow } from '../../engine/store/nodes.ts';
import { nodesOf, toNode } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';

type Get = Handler<Served<typeof content, 'getFileById'>, ContentEnvironment>;

export const getFileById: Get = (input, context) =>
  context.visitor === undefined ? readFile(input, context) : readVisited(input, context, context.visitor);

const fileOf = (lineage: string, id: string) => findNodes(lineage, sql`SELECT 'file' AS kind, ${id} AS id`);

const readFile: Get = async ({ params, query }, context) => {
  const { env, db, point, urls } = context;
  const row = await readRow(db, fileOf(JSON.stringify(point.lineage), params.fileId));
  const node = row && toNode(row);
  if (node === undefined) throw notFound('file');
  return presentFile(node, { env, urls, place: filePlace(params, context), metadata: query.metadata });
};

/** For a visitor also what uses the file: whether anything of that is shown. */
async function readVisited(...[{ params }, context, visitor]: [...Parameters<Get>, Visitor]) {
  const { env, db, point, urls } = context;
  const { fileId: id } = params;
  const lineage = JSON.stringify(point.lineage);
  const { files, ...rows } = await runBatch(db, { files: fileOf(lineage, id), ...readShownUse(lineage, id) });
  const node = files[0] && toNode(files[0]);
  if (node === undefined) throw notFound('file');
  const content = await shownUse({ db, lineage, id, claims: visitor.claims }, rows);
  if (!content.uses(node)) throw notFound('file');
  const place = await visitedPlace(filePlace(params, context), visitor, content.isOpen);
  return presentFile(node, { env, urls, place, metadata: false });
}

type List = Handler<Served<typeof content, 'listFiles'>, ContentEnvironment>;

/** The files at a point, newest first; one round trip, and rows that follow the page, not the space. */
export const listFiles: List = (input, context) =>
  context.visitor === undefined ? listAll(input, context) : listVisited(input, context, context.visitor);

/** For a visitor as much is read as for the whole tree: which files what is shown uses. */
async function listVisited(...[{ params, query }, context, visitor]: [...Parameters<List>, Visitor]) {
  const { env, db, point, urls } = context;
  const { page, limit } = query;
  const [position, id] = decodeCursor(page, ['string', 'string']) ?? [];
  const lineage = JSON.stringify(point.lineage);
  const { files, ...rows } = await runBatch(db, { files: findAllNodes(lineage, 'file'), ...readShown(lineage) });
  const content = new ShownContent(visitor.claims, rows);
  const after = (file: Node) =>
    position === undefined || file.position < position || (file.position === position && file.id < String(id));
  const shown = nodesOf(files).filter((file) => content.uses(file) && after(file));
  const found = paginate(shown.sort(newestFirst).slice(0, limit + 1), limit, {
    item: (file) => file,
    cursorOf: (file) => [file.position, file.id],
  });
  const place = await visitedPlace(filePlace(params, context), visitor, content.isOpen);
  return { ...found, items: await presentFiles(found.items, { env, urls, place, metadata: false }) };
}

const listAll: List = async ({ params, query: { page, limit, metadata } }, context) => {
  const { env, db, point, urls } = context;
  const rows = await readRows(db, findFiles({ lineage: JSON.stringify(point.lineage), page, limit }));
  const found = paginate(rows, limit, {
    item: requireNode,
    cursorOf: ({ position, id }) => [position, id],
  });
  const to = { env, urls, place: filePlace(params, context), metadata };
  return { ...found, items: await presentFiles(found.items, to) };
};

function requireNode(row: NodeRow): Node {
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
function findFiles({ lineage, page, limit }: Page) {
  const [position, id] = decodeCursor(page, ['string', 'string']) ?? [];
  const after = position === undefined ? sql`1` : sql`(v.position, v.id) < (${position}, ${id})`;
  return nodeRow.query(sql`
    WITH ${lineageCte(lineage)}
    SELECT ${nodeRow}
    FROM lineage l CROSS JOIN json_each((
      SELECT json_group_array(json_array(id, since)) FROM (
        SELECT v.id, v.since FROM versions v INDEXED BY versions_files
        WHERE v.kind = 'file' AND v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq AND v.deleted = 0
          AND ${after} AND ${seen}
        ORDER BY v.position DESC, v.id DESC LIMIT ${limit + 1}))) first
    CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'file' AND v.id = first.value->>0 AND v.since = first.value->>1
    ORDER BY v.position DESC, v.id DESC LIMIT ${limit + 1}`);
}
