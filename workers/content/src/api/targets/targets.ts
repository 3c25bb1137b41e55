import type { Connection, Database } from '@octavo/db';
import { readRows } from '@octavo/db';
import type { FoundBlock, Node } from '@octavo/merge';
import { createFollower } from '@octavo/merge';
import type { ContentTarget, TargetPage, TargetReading, TargetState, VisibilityTarget, Visitor } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import type { SiteReading } from '../../engine/sites/site-locations.ts';
import { findLocations, getGeneratedIds, readNamedLocations } from '../../engine/sites/site-locations.ts';
import { getPageFields, toNodes } from '../../engine/store/nodes.ts';
import type { BlockLookup } from './queries.ts';
import { readPagesWithAncestors, readTexts, selectValidLineage } from './queries.ts';

/** Reads the current state of pages and blocks that comments refer to. Two round trips for any number of them. */
export async function readTargets(request: TargetReading, { db }: Pick<Connection, 'db'>): Promise<TargetState[]> {
  const { targets } = request;
  const lineage = selectValidLineage(request);
  const ids = new Set(targets.map(({ page }) => page));
  const nodes = toNodes(await readRows(db, readPagesWithAncestors(lineage, ids)));
  const pages = new Map(nodes.map((node) => [node.id, node]));
  const lookups = targets.map((target) => toBlockLookup(target, pages.get(target.page)?.document));
  const follow = await followBlocks(
    db,
    lineage,
    lookups.filter((node) => node !== undefined),
  );
  return targets.map((target, index) => {
    const page = pages.get(target.page);
    if (page === undefined) return { outdated: true };
    const state = { page: presentTarget(page, pages), ...(page.document === null ? {} : { document: page.document }) };
    if (target.node === undefined) return { ...state, outdated: false };
    const node = lookups[index];
    const followed = node === undefined ? getUnchangedState(page) : follow(node);
    if (followed === undefined) return { ...state, outdated: true };
    return { ...state, node: followed === 'unread' ? { id: target.node } : presentNode(followed), outdated: false };
  });
}

/** The state of a block in an unchanged document. */
const getUnchangedState = (page: Node): 'unread' | undefined => (page.document === null ? undefined : 'unread');

const presentNode = ({ key, preview }: FoundBlock): TargetState['node'] => ({ id: key, preview });

function presentTarget(page: Node, pages: ReadonlyMap<string, Node>): TargetPage {
  const { title, emoji, icon } = getPageFields(page);
  return {
    id: page.id,
    title,
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    createdAt: formatTimestamp(page.createdAt),
    updatedAt: formatTimestamp(page.updatedAt),
    path: getPath(page, pages),
  };
}

function getPath(page: Node, pages: ReadonlyMap<string, Node>): string {
  const ancestors = new Set<Node>();
  for (let node: Node | undefined = page; node !== undefined && !ancestors.has(node); node = pages.get(node.parent))
    ancestors.add(node);
  return [...ancestors]
    .map(({ slug }) => slug)
    .reverse()
    .join('/');
}

/** Maximum number of characters compared. Each text is scanned once per text it is compared with. */
const maxComparedCharacters = 16 * 1024 * 1024;

/** The current state of a block; undefined if it no longer exists, 'unread' if its documents exceed the limits. */
type FollowedNode = FoundBlock | 'unread' | undefined;

/** Returns the lookup of a block whose document has changed or may have changed. */
const toBlockLookup = (
  { node, page, document: before }: ContentTarget,
  current: string | null | undefined,
): BlockLookup | undefined =>
  node === undefined || current === null || current === undefined || current === before
    ? undefined
    : { node, page, current, before };

/** Finds the current blocks. One round trip, and each text is read once. */
async function followBlocks(
  db: Database,
  lineage: SQL,
  lookups: BlockLookup[],
): Promise<(node: BlockLookup) => FollowedNode> {
  const texts = await readTexts(db, lineage, lookups);
  const blocksByDocument = new Map<string, Map<string, FoundBlock> | 'unread'>();
  let compared = 0;
  for (const [current, nodes] of Map.groupBy(lookups, (node) => node.current)) {
    const after = texts.get(current);
    const follow = typeof after === 'string' ? createFollower(after) : undefined;
    for (const [before, same] of Map.groupBy(nodes, (node) => node.before)) {
      const formerText = before === undefined ? undefined : texts.get(before);
      const keys = new Set(same.map(({ node }) => node));
      if (typeof formerText === 'string') compared += formerText.length + (after?.length ?? 0);
      const isRead = follow !== undefined && formerText !== null && compared <= maxComparedCharacters;
      blocksByDocument.set(toPairKey(current, before), isRead ? follow(formerText, keys) : 'unread');
    }
  }
  return ({ current, before, node }) => {
    const blocks = blocksByDocument.get(toPairKey(current, before));
    return typeof blocks === 'string' ? blocks : blocks?.get(node);
  };
}

const toPairKey = (current: string, before: string | undefined): string => `${current} ${before ?? ''}`;

/** Returns whether a visitor may see each of the targets. One round trip, and one more for generated pages. */
export async function areTargetsVisible(
  { visitor, targets }: { visitor: Visitor; targets: VisibilityTarget[] },
  context: Omit<SiteReading, 'visitor'>,
): Promise<boolean[]> {
  const targetsJson = JSON.stringify(targets.map(({ space, page }) => [space, page ?? null, null]));
  const locations = await findLocations(
    { ...context, visitor },
    {
      locationQuery: readNamedLocations(visitor.site, visitor.user ?? null, targetsJson),
      isOfPage: (ordinal) => targets[ordinal]?.page !== undefined,
      generatedIds: getGeneratedIds(targets.map(({ page }) => page)),
    },
  );
  const visibleOrdinals = new Set(locations.map(({ ordinal }) => ordinal));
  return targets.map((_, ordinal) => visibleOrdinals.has(ordinal));
}
