import type { Connection } from '@octavo/db';
import { readRows } from '@octavo/db';
import type { FoundBlock, Node } from '@octavo/merge';
import type { TargetPage, TargetReading, TargetState } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { findAncestors, selectIds } from '../../engine/store/lineage.ts';
import { nodesOf, pageFields } from '../../engine/store/nodes.ts';
import { followNodes, wantedNode } from './follow-nodes.ts';

/** What pages and blocks that something was said about are now: two round trips for any number of them. */
export async function readTargets(reading: TargetReading, { db }: Pick<Connection, 'db'>): Promise<TargetState[]> {
  const { targets } = reading;
  const lineage = checkedLineage(reading);
  const ids = selectIds(new Set(targets.map(({ page }) => page)));
  const nodes = nodesOf(await readRows(db, findAncestors(lineage, ids)));
  const pages = new Map(nodes.map((node) => [node.id, node]));
  const wanted = targets.map((target) => wantedNode(target, pages.get(target.page)?.document));
  const follow = await followNodes(
    db,
    lineage,
    wanted.filter((node) => node !== undefined),
  );
  return targets.map((target, index) => {
    const page = pages.get(target.page);
    if (page === undefined) return { outdated: true };
    const state = { page: presentTarget(page, pages), ...(page.document === null ? {} : { document: page.document }) };
    if (target.node === undefined) return { ...state, outdated: false };
    const node = wanted[index];
    const found = node === undefined ? unread(page) : follow(node);
    if (found === undefined) return { ...state, outdated: true };
    return { ...state, node: found === 'unread' ? { id: target.node } : presentNode(found), outdated: false };
  });
}

/** A block of a page whose document is as it was. */
const unread = (page: Node): 'unread' | undefined => (page.document === null ? undefined : 'unread');

const presentNode = ({ key, preview }: FoundBlock): TargetState['node'] => ({ id: key, preview });

/** The lineage, if it is that of a revision of the space. */
function checkedLineage({ space, lineage }: TargetReading): SQL {
  const [branch, seq] = lineage[0] ?? ['', 0];
  return sql`(SELECT ${JSON.stringify(lineage)} WHERE EXISTS (
    SELECT 1 FROM revisions WHERE space = ${space} AND branch = ${branch} AND seq = ${seq}))`;
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
