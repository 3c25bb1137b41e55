import type { Connection } from '@octavo/db';
import { readRows } from '@octavo/db';
import type { DocumentTree } from '@octavo/markdown';
import { parseTreeInSteps } from '@octavo/markdown';
import type { FoundBlock, Node } from '@octavo/merge';
import { createFollower, findBlockSource, parseSourcesInSteps, replaceBlock } from '@octavo/merge';
import type { Steps } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { ContentTarget, TargetPage, TargetReading, TargetState, VisibilityTarget, Visitor } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { SiteReading } from '../../engine/sites/site-locations.ts';
import { findLocations, getGeneratedIds, readNamedLocations } from '../../engine/sites/site-locations.ts';
import { getPageFields, toNodes } from '../../engine/store/nodes.ts';
import type { BlockLookup } from './queries.ts';
import { queryPagesWithAncestors, readTexts, selectValidLineage } from './queries.ts';

/** Reads the current state of pages and blocks that comments refer to. Two round trips for any number of them. */
export async function readTargets(request: TargetReading, { db }: Pick<Connection, 'db'>): Promise<TargetState[]> {
  const { targets } = request;
  const lineage = selectValidLineage(request);
  const ids = new Set(targets.map(({ page }) => page));
  const nodes = toNodes(await readRows(db, queryPagesWithAncestors(lineage, ids)));
  const pages = new Map(nodes.map((node) => [node.id, node]));
  const lookups = targets.map((target) => toBlockLookup(target, pages.get(target.page)?.document));
  const requested = lookups.filter((node) => node !== undefined);
  const texts = await readTexts(db, lineage, requested);
  const followed = await runInSlices(followBlocks(requested, texts));
  return targets.map((target, index) => {
    const page = pages.get(target.page);
    if (page === undefined) return { outdated: true };
    const state = { page: presentTarget(page, pages), ...(page.document === null ? {} : { document: page.document }) };
    if (target.node === undefined) return { ...state, outdated: false };
    const lookup = lookups[index];
    const node = lookup === undefined ? getUnchangedState(page) : followed.get(lookup);
    if (node === undefined) return { ...state, outdated: true };
    return { ...state, node: node === 'unread' ? { id: target.node } : presentNode(node), outdated: false };
  });
}

/** The state of a block in an unchanged document. */
const getUnchangedState = (page: Node): 'unread' | undefined => (page.document === null ? undefined : 'unread');

const presentNode = ({ key, ...node }: FoundBlock & SuggestionEffect): TargetState['node'] => ({ id: key, ...node });

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

/** Maximum number of characters that are compared. Each text is scanned once for each text that it is compared with. */
const maxComparedCharacters = 16 * 1024 * 1024;

/** The current state of a block; undefined if it no longer exists, 'unread' if its documents exceed the limits. */
type FollowedNode = (FoundBlock & SuggestionEffect) | 'unread' | undefined;

/** The source of a top-level block for which a text is suggested, and the effect of the text. */
type SuggestionEffect = Pick<NonNullable<TargetState['node']>, 'source' | 'changesMore'>;

/** Returns the lookup of a block whose document has changed or may have changed. */
const toBlockLookup = (
  { node, page, document: before, suggestion }: ContentTarget,
  current: string | null | undefined,
): BlockLookup | undefined =>
  node === undefined || current === null || current === undefined || current === before
    ? undefined
    : { node, page, current, before, suggestion };

/** Finds the current blocks in texts, by hash. Each current text is parsed once. */
function* followBlocks(
  lookups: BlockLookup[],
  texts: ReadonlyMap<string, string | null>,
): Steps<ReadonlyMap<BlockLookup, FollowedNode>> {
  const nodes = new Map<BlockLookup, FollowedNode>();
  let compared = 0;
  for (const [current, ofPage] of Map.groupBy(lookups, (lookup) => lookup.current)) {
    const after = texts.get(current);
    const tree = typeof after === 'string' ? yield* parseSourcesInSteps(after) : undefined;
    const follow = tree && createFollower(tree.nodes);
    for (const [before, same] of Map.groupBy(ofPage, (lookup) => lookup.before)) {
      const formerText = before === undefined ? undefined : texts.get(before);
      if (typeof formerText === 'string') compared += formerText.length + (after?.length ?? 0);
      if (tree === undefined || follow === undefined || formerText === null || compared > maxComparedCharacters) {
        for (const lookup of same) nodes.set(lookup, 'unread');
        continue;
      }
      const former = formerText === undefined ? undefined : yield* parseTreeInSteps(formerText, { sources: 'none' });
      const blocks = yield* follow(former?.nodes, new Set(same.map(({ node }) => node)));
      for (const lookup of same) {
        const block = blocks.get(lookup.node);
        nodes.set(lookup, block && { ...block, ...(yield* readEffect(tree, block.key, lookup)) });
      }
    }
  }
  return nodes;
}

function* readEffect(tree: DocumentTree, key: string, { suggestion }: BlockLookup): Steps<SuggestionEffect> {
  const source = suggestion === undefined ? undefined : findBlockSource(tree, key);
  if (suggestion === undefined || source === undefined) return {};
  return { source, changesMore: (yield* replaceBlock(tree, key, suggestion)) === undefined };
}

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
