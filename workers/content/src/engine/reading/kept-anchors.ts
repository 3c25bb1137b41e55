import type { Database, RevisionPoint } from '@octavo/db';
import { given, readRows, selection } from '@octavo/db';
import { withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import { sql } from 'drizzle-orm';
import type { LinkingText } from '../links/late-links.ts';
import { lineageCte, stateAt } from '../nodes/find-nodes.ts';

/** Former anchors of headings with the ids that these have now, by the pages that they are on. */
export type KeptAnchors = ReadonlyMap<string, NonNullable<Node['anchors']>>;

const anchorsRow = selection({ id: given(String), anchors: given(String) });
const mayHaveAnchor = /[^\s#(]#[^\s#]/;

/**
 * The former anchors of the pages that texts link to with an anchor. One round trip, and none where no text has such a
 * link; rows read follow the links.
 */
export async function readKeptAnchors(
  texts: LinkingText[],
  { db, point }: { db: Database; point: RevisionPoint },
): Promise<KeptAnchors> {
  const pages = new Set(texts.flatMap(anchoredPages));
  if (pages.size === 0) return new Map();
  const rows = await readRows(
    db,
    anchorsRow.query(sql`
    WITH ${lineageCte(JSON.stringify(point.lineage))}, wanted(id) AS MATERIALIZED (
      SELECT value FROM json_each(${JSON.stringify([...pages])}))
    SELECT ${anchorsRow.with({ id: sql`a.id`, anchors: sql`a.anchors` })} FROM (
      SELECT w.id, v.data->'$.anchors' AS anchors, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      GROUP BY w.id) a
    WHERE a.anchors IS NOT NULL`),
  );
  return new Map(rows.map(({ id, anchors }) => [id, JSON.parse(anchors) as NonNullable<Node['anchors']>]));
}

function anchoredPages(text: LinkingText): string[] {
  const { node, markdown } = text;
  if (node.links === undefined || !mayHaveAnchor.test(markdown)) return [];
  return text.targets
    .filter((target) => target.includes('#'))
    .flatMap((target) => keptLink(node, withoutAnchor(target)) ?? [])
    .filter((id) => !/^(?:file|rc)_/.test(id));
}
