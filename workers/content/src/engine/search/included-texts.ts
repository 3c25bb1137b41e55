import type { Database } from '@octavo/db';
import { fromQuery, readRows, selection } from '@octavo/db';
import type { FindTagged } from '@octavo/markdown';
import { expandIncludeTags, maxIncludeDepth } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { LinkingText, readLateTexts } from '../links/late-links.ts';
import { expandText, hasIncludes } from '../reading/included-files.ts';
import type { IncludedContent } from '../store/content.ts';
import { findIncludeTarget, readIncludedContents } from '../store/content.ts';
import { lineageCte, selectBranchLineage, selectIds, selectState } from '../store/lineage.ts';

/** A page with its text. */
export interface PageText {
  node: Node;
  markdown: string;
}

interface ExpansionReading {
  db: Database;
  lineage: SQL;
  space: SpaceId;
  urls: Urls;
}

/**
 * Returns the texts of the pages that include others, by page, with the texts that a reader sees in the place of the
 * includes. At most four round trips, none if no page includes a text.
 */
export async function expandPages(pages: PageText[], reading: ExpansionReading): Promise<Map<string, string>> {
  const including = pages.filter(hasIncludes);
  if (including.length === 0) return new Map();
  const { db, lineage } = reading;
  const targets = including.flatMap(({ node }) => Object.values(node.links ?? {}));
  const recordedContents = await readIncludedContents(
    db,
    lineage,
    targets.filter((id) => id.startsWith('rc_')),
  );
  const linking = { texts: including.map((page) => new LinkingText(page)), contents: recordedContents };
  const { linkedNodes, contents } = await readLateTexts(linking, { ...reading, shownPages: undefined });
  return new Map(
    including.map(({ node, markdown }) => {
      const linkedNode = linkedNodes.get(node.id) ?? node;
      const expanded = expandText({ node: linkedNode, markdown }, contents).markdown;
      return [node.id, expandIncludeTags(expanded, createFinder(linkedNode, contents))];
    }),
  );
}

/** Returns the function that finds what the tags in a node's text include. */
const createFinder =
  (node: Node, contents: ReadonlyMap<string, IncludedContent>): FindTagged =>
  (address) => {
    const id = findIncludeTarget(node, address);
    const content = id === undefined ? undefined : contents.get(id);
    if (content === undefined) return undefined;
    const text = expandText(content, contents).markdown;
    return { id: content.node.id, text, find: createFinder(content.node, contents) };
  };

/** Maximum number of pages and contents that are looked up for changed contents. */
const maxUsers = 1000;

const userRow = selection({ kind: fromQuery(String), id: fromQuery(String) });

/**
 * Finds the pages that include changed reusable contents, directly or through others; 'many' if there are too many to
 * list. A new content is also included by the pages that used a former one with the same path. One round trip, none if
 * no content changed; rows read are proportional to the pages.
 */
export async function findIncludingPages(db: Database, space: SpaceId, contents: string[]): Promise<string[] | 'many'> {
  if (contents.length === 0) return [];
  const rows = await readRows(
    db,
    userRow.query(sql`
      WITH RECURSIVE ${lineageCte(selectBranchLineage(space))}, changed(id) AS MATERIALIZED (${selectIds(contents)}),
      paths(path) AS MATERIALIZED (
        SELECT DISTINCT v.data->>'$.fields.gitPath' FROM changed c CROSS JOIN lineage l
        CROSS JOIN versions v ON ${selectState(sql`'reusable-content'`, sql`c.id`)}
        WHERE v.data->>'$.fields.gitPath' IS NOT NULL
      ), users(kind, id, level) AS (
        SELECT 'reusable-content', id, 0 FROM changed
        UNION
        SELECT 'reusable-content', v.id, 0 FROM paths p CROSS JOIN lineage l CROSS JOIN versions v INDEXED BY versions_sources
          ON v.branch = l.branch AND v.kind = 'reusable-content' AND v.data->>'$.fields.gitPath' = p.path
          AND v.data->>'$.fields.gitPath' IS NOT NULL
        UNION
        SELECT w.kind, w.id, level + 1 FROM users u CROSS JOIN lineage l CROSS JOIN version_uses w
          ON w.branch = l.branch AND w.used = u.id AND w.until > l.seq AND w.since <= l.seq
        WHERE u.kind <> 'page' AND level < ${maxIncludeDepth}
        LIMIT ${maxUsers + 1}
      )
      SELECT kind, id FROM users`),
  );
  if (rows.length > maxUsers) return 'many';
  return [...new Set(rows.filter(({ kind }) => kind === 'page').map(({ id }) => id))];
}
