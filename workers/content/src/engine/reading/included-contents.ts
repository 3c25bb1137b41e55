import type { Database } from '@octavo/db';
import { documents, maybe, readRows, selection } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { maxIncludeDepth, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, nodeRow, seen, stateAt } from '../nodes/lineage-sql.ts';
import { toNode } from '../nodes/stored-node.ts';

const contentRow = selection({ ...nodeRow.fields, markdown: maybe(documents.markdown) });

/** At most this many contents are included, and this much of text; others stay as they are written. */
const maxContents = 100;
const maxBytes = 2 * 1024 * 1024;
/** How often one content is met on the way down, at most. */
const maxMet = 300;

const byId = /^\/?reusable-contents\/([a-zA-Z0-9_-]{1,64})$/;

/** What an address leads to by which a node's text includes: what was kept when it was written, else the id it holds. */
export function includeTarget(node: Node, address: string): string | undefined {
  const target = withoutAnchor(address);
  return keptLink(node, target) ?? byId.exec(target)?.[1];
}

/** A content that something includes, and the node that it is of. */
export interface IncludedContent extends Includable {
  node: Node;
}

/** Reusable contents and all that they include in turn, by their ids, in one round trip. */
export async function includedContents(
  db: Database,
  lineage: SQL | string,
  ids: Iterable<string>,
): Promise<Map<string, IncludedContent>> {
  const wanted = [...new Set(ids)].slice(0, maxContents);
  if (wanted.length === 0) return new Map();
  const contents = contentRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, met(id, level) AS (
      SELECT value, 1 FROM json_each(${JSON.stringify(wanted)})
      UNION
      SELECT j.value, level + 1 FROM met CROSS JOIN lineage l
      CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`met.id`)}
      CROSS JOIN json_each(v.data, '$.links') j
      WHERE level < ${maxIncludeDepth} AND j.value GLOB 'rc_*' AND v.deleted = 0 AND ${seen}
      UNION
      SELECT substr(ltrim(d.target, '/'), 19), level + 1 FROM met CROSS JOIN lineage l
      CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`met.id`)}
      CROSS JOIN document_links d ON d.hash = v.document
      WHERE level < ${maxIncludeDepth} AND d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'
        AND v.deleted = 0 AND ${seen}
      LIMIT ${maxMet}
    ), contents AS MATERIALIZED (
      SELECT v.*, n.level FROM (SELECT id, MIN(level) AS level FROM met GROUP BY id) n
      CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`n.id`)}
      WHERE v.deleted = 0 AND ${seen} ORDER BY n.level, v.id LIMIT ${maxContents}
    )
    SELECT c.*, d.markdown FROM (
      SELECT c.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY c.level, c.id) AS total
      FROM contents c LEFT JOIN documents sized ON sized.hash = c.document) c
    LEFT JOIN documents d ON d.hash = c.document WHERE c.total <= ${maxBytes}`);
  return new Map(
    (await readRows(db, contents)).flatMap((row) => {
      const node = toNode(row);
      if (node === undefined) return [];
      const targetOf = (address: string) => includeTarget(node, address);
      return [[node.id, { node, markdown: row.markdown ?? '', targetOf }] as const];
    }),
  );
}
