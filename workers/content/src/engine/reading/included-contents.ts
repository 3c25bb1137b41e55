import type { Database, RecordOf } from '@octavo/db';
import { documents, maybe, readRows, selection } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { maxIncludeDepth, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, nodeRow, seen, selectIds, stateAt } from '../store/lineage.ts';
import { toNode } from '../store/nodes.ts';
import { someCondition } from './visibility.ts';

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
  return contentsOf(await readRows(db, readIncluded(lineage, selectIds(wanted))));
}

export const contentsOf = (rows: RecordOf<typeof contentRow>[]): Map<string, IncludedContent> =>
  new Map(
    rows.flatMap((row) => {
      const node = toNode(row);
      if (node === undefined) return [];
      const targetOf = (address: string) => includeTarget(node, address);
      return [[node.id, { node, markdown: row.markdown ?? '', targetOf }] as const];
    }),
  );

/** A SELECT of the ids of what the document of a node includes itself, beside the CTE `lineage`. */
export const includedBy = (kind: SQL, id: SQL): SQL => sql`
  SELECT j.value FROM (${stateOf(kind, id)}) p CROSS JOIN json_each(p.data, '$.links') j WHERE j.value GLOB 'rc_*'
  UNION
  SELECT substr(ltrim(d.target, '/'), 19) FROM (${stateOf(kind, id)}) p CROSS JOIN document_links d ON d.hash = p.document
  WHERE d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'`;

/** A SELECT of the state that a node has, beside the CTE `lineage`. */
export const stateOf = (kind: SQL, id: SQL): SQL => sql`
  SELECT v.data, v.document FROM lineage l CROSS JOIN versions v ON ${stateAt(kind, id)} ORDER BY l.depth LIMIT 1`;

/** The CTE `met(id, level)` of contents and what they include in turn; `start` is a SELECT of ids. */
export const metCte = (start: SQL): SQL => sql`met(id, level) AS (
    SELECT *, 1 FROM (${start})
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
  )`;

/** The contents of `start`, a SELECT of ids, and all that they include in turn. */
export const readIncluded = (lineage: SQL | string, start: SQL) =>
  contentRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, ${metCte(start)}, contents AS MATERIALIZED (
      SELECT v.*, n.level FROM (SELECT id, MIN(level) AS level FROM met GROUP BY id) n
      CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`n.id`)}
      WHERE v.deleted = 0 AND ${seen} ORDER BY n.level, v.id LIMIT ${maxContents}
    )
    SELECT c.*, d.markdown FROM (
      SELECT c.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY c.level, c.id) AS total
      FROM contents c LEFT JOIN documents sized ON sized.hash = c.document) c
    LEFT JOIN documents d ON d.hash = c.document WHERE c.total <= ${maxBytes}`);

/** A SELECT of the data of reusable contents and all that they include in turn; `start` is a SELECT of ids. */
export const metLinks = (start: SQL): SQL => sql`
  SELECT v.data FROM (WITH RECURSIVE ${metCte(start)} SELECT DISTINCT id FROM met) m
  CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`m.id`)}
  WHERE v.deleted = 0 AND ${seen}`;

/** A SELECT of the pages that nodes link to, given a SELECT of their data; of none where no page has a condition. */
export const linksIn = (data: SQL): SQL => sql`
  SELECT DISTINCT j.value FROM (${data}) p CROSS JOIN json_each(p.data, '$.links') j
  WHERE ${someCondition} AND j.value NOT GLOB 'file_*' AND j.value NOT GLOB 'rc_*'`;
