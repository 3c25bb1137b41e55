import type { Database } from '@octavo/db';
import type { Node } from '@octavo/document';
import type { TargetPage, TargetReading, TargetState } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findAncestors, selectIds } from '../nodes/find-nodes.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';

/** What pages and blocks that something was said about are now: two round trips for any number of them. */
export async function readTargets(db: Database, reading: TargetReading): Promise<TargetState[]> {
  const pages = await findPages(db, reading);
  return reading.targets.map(({ page: id, node }) => {
    const page = pages.get(id);
    if (page === undefined) return { outdated: true };
    return {
      page: presentTarget(page, pages),
      ...(page.document === null ? {} : { document: page.document }),
      ...(node === undefined ? {} : { node: { id: node } }),
      outdated: false,
    };
  });
}

/** The pages of the targets and those above them. Only the lineage of a revision of the space is read. */
async function findPages(db: Database, { space, lineage, targets }: TargetReading): Promise<Map<string, Node>> {
  const [branch, seq] = lineage[0] ?? ['', 0];
  const checked = sql`(SELECT ${JSON.stringify(lineage)} WHERE EXISTS (
    SELECT 1 FROM revisions WHERE space = ${space} AND branch = ${branch} AND seq = ${seq}))`;
  const rows = await findAncestors(db, checked, selectIds(new Set(targets.map(({ page }) => page))));
  const nodes = rows.map(toNode).filter((node) => node !== undefined);
  return new Map(nodes.map((node) => [node.id, node]));
}

function presentTarget(page: Node, pages: ReadonlyMap<string, Node>): TargetPage {
  const { title, emoji, icon } = pageFields(page);
  return {
    id: page.id,
    title,
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    createdAt: timestamp(page.createdAt),
    updatedAt: timestamp(page.updatedAt),
    path: pathOf(page, pages),
  };
}

function pathOf(page: Node, pages: ReadonlyMap<string, Node>): string {
  const above = new Set<Node>();
  for (let node: Node | undefined = page; node !== undefined && !above.has(node); node = pages.get(node.parent))
    above.add(node);
  return [...above]
    .map(({ slug }) => slug)
    .reverse()
    .join('/');
}
