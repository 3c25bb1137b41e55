import type { Row } from '@octavo/db';
import { foreverSeq, runBatch, text } from '@octavo/db';
import type { Node } from '@octavo/document';
import { nodeKey, sameNode } from '@octavo/document';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { presentFiles } from '../files/present-file.ts';
import { findNodes } from '../nodes/find-nodes.ts';
import { nodeColumns } from '../nodes/lineage-sql.ts';
import { toNode } from '../nodes/stored-node.ts';
import type { NodeChange } from './describe-change.ts';
import { describeChanges } from './describe-change.ts';

/** Documents beyond this in one answer are listed without their counts of lines. */
const maxComparedBytes = 8 * 1024 * 1024;

/** What the branch of a change request changes against its base: nodes that ended as they began are left out. */
export const getChangeRequestChanges: Handler<typeof content.getChangeRequestChanges, ContentEnvironment> = async (
  { query },
  { env, db, changeRequest, urls },
) => {
  const { lineage } = changeRequest.head;
  const own = lineage[0]?.[0] === changeRequest.id;
  const base = JSON.stringify(own ? lineage.slice(1) : lineage);
  const touched = sql`v.branch = ${changeRequest.id} AND v.kind IN ('page', 'file', 'reusable-content', 'variable') AND v.until = ${foreverSeq}`;
  const keys = sql`SELECT v.kind, v.id FROM versions v WHERE ${touched}`;
  const parents = sql`SELECT 'page', v.parent FROM versions v WHERE ${touched} AND v.parent <> ''`;
  const [afterRows = [], beforeRows = [], parentRows = []] = (await runBatch(db, [
    db.all<Row>(sql`SELECT ${nodeColumns} FROM versions v WHERE ${touched} ORDER BY v.since, v.id`),
    findNodes(db, base, keys),
    findNodes(
      db,
      JSON.stringify(lineage),
      sql`${parents} UNION SELECT kind, parent FROM (${nodesAt(base, keys)}) WHERE parent <> ''`,
    ),
  ])) as Row[][];
  const before = new Map(beforeRows.flatMap((row) => toNode(row) ?? []).map((node) => [nodeKey(node), node]));
  const changed = afterRows.flatMap((row): NodeChange[] => {
    const key = `${text(row, 'kind')}:${text(row, 'id')}`;
    const change = { before: before.get(key), after: toNode(row) };
    return sameNode(change.before, change.after) ? [] : [change];
  });
  const listed = changed.slice(0, query.limit);
  const hashes = listed.flatMap(({ before: was, after: is }) =>
    was?.document === is?.document ? [] : [was?.document, is?.document],
  );
  const texts = await db.all<{ hash: string; markdown: string }>(sql`
    SELECT d.hash, d.markdown FROM documents d WHERE d.hash IN (
      SELECT hash FROM (
        SELECT sized.hash, SUM(sized.bytes) OVER (ORDER BY wanted.key) AS total
        FROM json_each(${JSON.stringify(hashes.filter((hash) => hash != null))}) wanted
        CROSS JOIN documents sized ON sized.hash = wanted.value)
      WHERE total <= ${maxComparedBytes})`);
  const around: Node[] = [...parentRows.flatMap((row) => toNode(row) ?? []), ...before.values()];
  const files = await presentFiles(listed.flatMap(fileOf), { env, urls, metadata: true });
  const changes = describeChanges(listed, {
    around,
    texts: new Map(texts.map((row) => [row.hash, row.markdown])),
    files: new Map(files.map((file) => [file.id, file])),
  });
  return { changes, ...(changed.length > listed.length ? { more: changed.length - listed.length } : {}) };
};

/** A file that changed, in its last state. */
const fileOf = ({ before, after }: NodeChange): Node[] =>
  [after ?? before].flatMap((node) => (node?.kind === 'file' ? [node] : []));

const nodesAt = (lineage: string, keys: ReturnType<typeof sql>) => sql`
  SELECT v.kind, v.parent FROM (${keys}) w CROSS JOIN json_each(${lineage}) l CROSS JOIN versions v
    ON v.branch = l.value->>0 AND v.kind = w.kind AND v.id = w.id AND v.since <= l.value->>1 AND v.until > l.value->>1
  WHERE v.kind = 'page'`;
