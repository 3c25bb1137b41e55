import type { Database } from '@octavo/db';
import { given, jsonChunks, runBatch, selection } from '@octavo/db';
import { slugify } from '@octavo/markdown';
import { sql } from 'drizzle-orm';
import { pageFields } from '../nodes/stored-node.ts';
import type { ResolvedLink } from './resolve-link.ts';
import { maxAnchorLength, namesOfAnchor } from './stored-anchors.ts';

/** What one listing checks at most, of different anchors; further links are believed. */
const maxChecked = 20_000;

/** So many anchors of a document make one row of a parameter, which is never cut. */
const askedAtOnce = 50;

const missingRow = selection({ hash: given(String), anchor: given(String) });

interface Asked {
  hash: string;
  anchor: string;
  names: string[];
}

/**
 * Links as they were resolved, those to an anchor that its page has not broken. One round trip, and none where no link
 * has an anchor; rows read follow the pages that anchors are sought in. What cannot be known is believed.
 */
export async function checkAnchors(db: Database, links: ResolvedLink[]): Promise<ResolvedLink[]> {
  const asked = new Map<string, Asked>();
  for (const link of links) {
    const found = askedOf(link);
    if (found !== undefined && asked.size < maxChecked) asked.set(keyOf(found), found);
  }
  if (asked.size === 0) return links;
  const rows = await runBatch(db, askedChunks([...asked.values()]).map(missingAnchors));
  const missing = new Set(rows.map(keyOf));
  return links.map((link) => {
    const found = askedOf(link);
    if (found === undefined || !missing.has(keyOf(found)) || link.node === undefined) return link;
    const key = `broken ${link.node.id} ${link.anchor}`;
    return { ...link, key, status: 'broken', reason: 'no-anchor' };
  });
}

/** What is asked as parameters, by documents: each is read once for some of its anchors. */
export function askedChunks(asked: Asked[]): string[] {
  const byHash = [...Map.groupBy(asked, ({ hash }) => hash)];
  return jsonChunks(
    byHash.flatMap(([hash, all]) => {
      const starts = Array.from({ length: Math.ceil(all.length / askedAtOnce) }, (_, index) => index * askedAtOnce);
      return starts.map((start) => ({ hash, anchors: all.slice(start, start + askedAtOnce) }));
    }),
  );
}

const keyOf = ({ hash, anchor }: { hash: string; anchor: string }): string => `${hash} ${anchor}`;

function askedOf({ node, anchor }: ResolvedLink): Asked | undefined {
  if (anchor === undefined || node?.kind !== 'page' || node.document === null) return undefined;
  const names = namesOfAnchor(anchor);
  const isTitle = names.includes(slugify(pageFields(node).title));
  return names.length === 0 || isTitle
    ? undefined
    : { hash: node.document, anchor: anchor.slice(0, maxAnchorLength), names };
}

/** The anchors that are in no name among those of their document, of documents whose anchors are known. */
const missingAnchors = (json: string) =>
  missingRow.query(sql`
    SELECT ${missingRow.with({ hash: sql`d.hash`, anchor: sql`a.value->>'anchor'` })}
    FROM json_each(${json}) w CROSS JOIN documents d ON d.hash = w.value->>'hash'
    CROSS JOIN json_each(w.value->'anchors') a
    WHERE d.anchors <> '' AND NOT EXISTS (
      SELECT 1 FROM json_each(a.value->'names') n WHERE instr(d.anchors, char(10) || n.value || char(10)) > 0)`);
