import { documents, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { findNodes, lineageCte, stateAt } from '../../engine/nodes/find-nodes.ts';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { presentReusableContent } from '../../engine/reading/present-reusable-content.ts';
import type { ContentEnvironment } from '../../environment.ts';

const d = aliasedTable(documents, 'd');
const textRow = selection({ markdown: d.markdown });

/** A reusable content with its text, in one round trip. */
export const getReusableContentById: Handler<
  Served<typeof content, 'getReusableContentById'>,
  ContentEnvironment
> = async ({ params: { reusableContentId: id } }, { db, point }) => {
  const lineage = JSON.stringify(point.lineage);
  const { nodes, texts } = await runBatch(db, {
    nodes: findNodes(lineage, sql`SELECT 'reusable-content', ${id}`),
    texts: textRow.query(sql`
      WITH ${lineageCte(lineage)}
      SELECT ${textRow} FROM (
        SELECT v.document FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`${id}`)}
        ORDER BY l.depth LIMIT 1) content
      CROSS JOIN documents d ON d.hash = content.document`),
  });
  const node = nodes[0] && toNode(nodes[0]);
  if (node === undefined) throw notFound('reusable content');
  return { ...presentReusableContent(node), markdown: texts[0]?.markdown ?? '' };
};
