import { decodeCursor, paginate, readRows } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageCte, nodeRow, seen } from '../../engine/nodes/find-nodes.ts';
import type { NodeRow } from '../../engine/nodes/stored-node.ts';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { filePlace, presentFiles } from '../../engine/reading/present-file.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The files at a point, newest first; one round trip, and rows that follow the page, not the space. */
export const listFiles: Handler<Served<typeof content, 'listFiles'>, ContentEnvironment> = async (
  { params, query: { page, limit, metadata } },
  context,
) => {
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
