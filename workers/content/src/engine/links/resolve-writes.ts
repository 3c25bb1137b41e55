import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Anchor, AnchoredText } from '@octavo/markdown';
import { getAnchoredTexts, removeAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getNodeKey, getRecordedLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { ContentTree } from '../edit/tree.ts';
import type { NodeWrite, StoredText } from '../store/revisions.ts';
import type { Lookup } from './targets.ts';
import {
  createTargetQueries,
  getIncludedAddresses,
  NodeIndex,
  pickFirst,
  readTarget,
  toIdLookup,
  toLookupKey,
  toTargets,
} from './targets.ts';

/** Maximum number of targets that one batch looks up. Further targets are looked up whenever they are read. */
const maxLookups = 5_000;
/** Maximum length of the stored links of one node, in characters of their targets. */
const maxLinksLength = 100_000;

/** The content that a batch writes, with the content that it has loaded. */
export type WrittenTree = Pick<
  ContentTree,
  'getWrites' | 'listNodes' | 'findRef' | 'findUnmoved' | 'isDeleted' | 'getLoaded'
> & {
  content: Pick<ContentTree['content'], 'texts'>;
};

interface Batch {
  db: Database;
  /** The lineage that the batch starts from. */
  lineage: string;
  tree: WrittenTree;
  texts: StoredText[];
  space: SpaceId;
  urls: Urls;
}

/** A target with its lookups. A `shortenedLookup` is the part of a lookup that has to run in the database. */
interface TargetLookups {
  node: Node;
  target: string;
  lookups: { lookup: Lookup; shortenedLookup: Lookup }[];
  /** The lookup of the node that the target referred to before. */
  recorded: Lookup | undefined;
}

/**
 * Resolves the links of new documents to the ids of nodes as they are after the batch, and records former anchors of
 * headings. Targets that are not found are left out. One round trip, none if the documents link to nothing in the
 * space.
 */
export async function resolveWrites(batch: Batch): Promise<NodeWrite[]> {
  const { db, tree, texts, lineage } = batch;
  const writes = tree.getWrites();
  const links = new Map(texts.map((text) => [text.hash, text.links.map(({ target }) => target)]));
  const markdown = new Map(texts.map((text) => [text.hash, text.markdown]));
  const nodes = writes.flatMap(({ node }) => (node !== undefined && links.has(node.document ?? '') ? [node] : []));
  const index = new NodeIndex(tree.listNodes(), false);
  const targetLookups = nodes.flatMap((node) => {
    const included = getIncludedAddresses(node, markdown.get(node.document ?? '') ?? '');
    return findTargetLookups(node, [...(links.get(node.document ?? '') ?? []), ...included], { batch, index });
  });
  const lookups = targetLookups
    .flatMap(({ lookups, recorded }) =>
      [recorded ?? [], ...lookups.map(({ shortenedLookup }) => shortenedLookup)].flat(),
    )
    .slice(0, maxLookups);
  const reads = createTargetQueries(lineage, lookups);
  const targets = toTargets(await runBatch(db, reads));
  const isLiveTarget = (lookup: Lookup): boolean =>
    targets.has(toLookupKey(lookup)) || index.find(lookup) !== undefined;
  const find = ({ lookup, shortenedLookup }: TargetLookups['lookups'][number]): Node | undefined => {
    const node = targets.get(toLookupKey(shortenedLookup));
    const unmoved = node && tree.findUnmoved(node);
    return pickFirst([index.find(lookup), unmoved].filter((node) => node !== undefined));
  };
  const lookupsByNode = Map.groupBy(targetLookups, ({ node }) => getNodeKey(node));
  const formerAnchors = createAnchorTracker(tree);
  return writes.map((write) => {
    const { node } = write;
    if (node === undefined) return write;
    if (node.document === null) return { ...write, node: { ...node, links: undefined, anchors: undefined } };
    if (!links.has(node.document)) return write;
    const resolved = {
      links: toLinks(node, lookupsByNode.get(getNodeKey(node)) ?? [], { find, isLive: isLiveTarget, tree }),
      anchors: formerAnchors(node, markdown.get(node.document)),
    };
    return { ...write, node: { ...node, ...resolved } };
  });
}

function findTargetLookups(
  node: Node,
  targets: string[],
  { batch, index }: { batch: Batch; index: NodeIndex },
): TargetLookups[] {
  const { space, urls, tree } = batch;
  const distinct = new Set(targets.map(removeAnchor));
  return [...distinct].flatMap((target) => {
    const parsed = readTarget(target, { space, urls, node });
    if (parsed.kind !== 'node') return [];
    const refNode = tree.findRef(target.replace(/^\.\//, ''), target.replace(/^\.\//, '').replace(/\.md$/, ''));
    const lookups: Lookup[] = refNode === undefined ? parsed.lookups : [{ by: 'id', ...refNode }];
    const shortenedLookups = lookups.map((lookup) => ({
      lookup,
      shortenedLookup: lookup.by === 'slug' ? index.shorten(lookup) : lookup,
    }));
    const before = getRecordedLink(node, target);
    const recorded = before === undefined ? undefined : toIdLookup(before);
    return [{ node, target, lookups: shortenedLookups, recorded }];
  });
}

type Find = (lookup: TargetLookups['lookups'][number]) => Node | undefined;

/**
 * A target still refers to its previous node while that node exists, even if the node was moved. A file path is
 * different: it refers to the file that is now at the path.
 */
function toLinks(
  node: Node,
  targetLookups: TargetLookups[],
  { find, isLive, tree }: { find: Find; isLive: (lookup: Lookup) => boolean; tree: WrittenTree },
): Node['links'] {
  const links: [string, string][] = [];
  let length = 0;
  for (const { target, lookups, recorded } of targetLookups) {
    const match = lookups.map((each) => ({ by: each.lookup.by, node: find(each) })).find((each) => each.node);
    const before = getRecordedLink(node, target);
    const isKept = recorded !== undefined && (match === undefined || isLive(recorded));
    const keptTarget =
      isKept && before !== undefined && match?.by !== 'git' && !tree.isDeleted(before) ? before : match?.node?.id;
    length += target.length;
    if (keptTarget !== undefined && length <= maxLinksLength) links.push([target, keptTarget]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** Limits of the former anchors stored for a page: their number and total length. */
const maxFormerAnchors = 200;
const maxAnchorsLength = 20_000;

/** Maximum length of replaced texts whose headings one batch compares, in characters. */
const maxComparedLength = 500_000;

type FormerAnchors = Record<string, string>;
const noAnchors: FormerAnchors = {};

/** States of the pages that a batch writes, and texts by hash. */
interface FormerTexts {
  getLoaded: (node: Node) => Node | undefined;
  content: { texts: ReadonlyMap<string, string> };
}

/**
 * Returns a function that computes the former anchors of a page's headings for a new text. The amount of text compared
 * in one batch is limited: pages beyond it keep their stored anchors.
 */
export function createAnchorTracker(tree: FormerTexts): (node: Node, now: string | undefined) => Node['anchors'] {
  let length = 0;
  return (node, now) => {
    const formerHash = tree.getLoaded(node)?.document;
    if (node.kind !== 'page' || formerHash == null) return undefined;
    if (formerHash === node.document) return node.anchors;
    const before = tree.content.texts.get(formerHash);
    length += (before?.length ?? 0) + (now?.length ?? 0);
    const isKnown = before !== undefined && now !== undefined && length <= maxComparedLength;
    return isKnown ? findRenamedAnchors(before, now, node.anchors) : node.anchors;
  };
}

/**
 * Maps former anchors of a page's headings to current ids. Includes the stored anchors, and the anchors of headings
 * that the new text renames in place. Undefined for a page without former anchors.
 */
export function findRenamedAnchors(
  formerText: string,
  now: string,
  keptAnchors: FormerAnchors = noAnchors,
): FormerAnchors | undefined {
  if (extractHeadingLines(formerText) === extractHeadingLines(now))
    return keptAnchors === noAnchors ? undefined : keptAnchors;
  const [before, after] = [getAnchoredTexts(formerText), getAnchoredTexts(now)];
  const renamedIds = new Map(
    pairRenamedHeadings(before, after, differsOnlyInHeadings(formerText, now)).flatMap(([old, { id }]) =>
      getNames(old).map((name) => [name, id]),
    ),
  );
  const currentNames = new Set(after.flatMap(getNames));
  const all = new Map([
    ...Object.entries(keptAnchors).map(([name, id]) => [name, renamedIds.get(id) ?? id] as const),
    ...renamedIds,
  ]);
  const remaining = [...all]
    .filter(([name, id]) => !currentNames.has(name) && currentNames.has(id))
    .slice(-maxFormerAnchors);
  let length = 0;
  const limited = remaining.toReversed().filter(([name, id]) => {
    length += name.length + id.length;
    return length <= maxAnchorsLength;
  });
  return limited.length === 0 ? undefined : Object.fromEntries(limited.reverse());
}

/** Extracts all lines that can contain headings or ids: if they are equal, nothing else has to be compared. */
const extractHeadingLines = (text: string): string =>
  text
    .split('\n')
    .filter((line, index, lines) => headingPattern.test(line) || isUnderline.test(lines[index + 1] ?? ''))
    .join('\n');

const headingPattern = /^[ \t>]{0,9}(?:#|```|~~~)|<[a-z/!]|\{[%:#]|[{\s]#\S/i;
const isUnderline = /^[ \t]{0,3}(?:=+|-+)[ \t]*$/;

const getNames = ({ id, aliases }: Anchor): string[] => [id, ...aliases];

/** Whether the texts differ only in lines of headings. */
function differsOnlyInHeadings(formerText: string, now: string): boolean {
  const maskHeadings = (text: string): string => text.replace(/^ {0,3}#{1,6}[ \t].*$/gm, '#');
  return maskHeadings(formerText) === maskHeadings(now);
}

/**
 * Pairs renamed headings. Between two unchanged headings there must be as many headings as before, with the same levels
 * and mostly the same text below them. If much else has changed, the position alone does not identify a heading.
 */
function pairRenamedHeadings(formerHeadings: AnchoredText[], now: AnchoredText[], isSure: boolean): [Anchor, Anchor][] {
  const [before, after] = [formerHeadings, now].map((all) => all.filter(({ level }) => level > 0)) as [
    AnchoredText[],
    AnchoredText[],
  ];
  const gaps = findGaps(before, after);
  const changed = gaps.reduce((sum, gap) => sum + gap.before.length, 0);
  if (!isSure && changed > before.length - changed) return [];
  return gaps
    .filter((gap) => toLevels(gap.before) === toLevels(gap.after))
    .flatMap((gap) => gap.before.map((each, index): [AnchoredText, AnchoredText] => [each, gap.after[index] ?? each]))
    .filter(([old, { textBelow }]) => isMostlyEqual(old.textBelow, textBelow));
}

const toLevels = (headings: Anchor[]): string => headings.map(({ level }) => level).join(' ');

/** Whether at least half of the lines of each text occur in the other. */
function isMostlyEqual(formerText: string, now: string): boolean {
  if (formerText === now) return true;
  const [before, after] = [formerText, now].map((text) => text.split('\n').filter((line) => line.trim() !== '')) as [
    string[],
    string[],
  ];
  const remainingCounts = new Map<string, number>();
  for (const line of before) remainingCounts.set(line, (remainingCounts.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of after) {
    const count = remainingCounts.get(line) ?? 0;
    if (count > 0) shared += 1;
    remainingCounts.set(line, count - 1);
  }
  return shared * 2 >= Math.max(before.length, after.length);
}

interface Gap {
  before: AnchoredText[];
  after: AnchoredText[];
}

/**
 * Returns the gaps between the headings that both lists contain in the same order, with the other headings in each gap.
 */
function findGaps(before: AnchoredText[], after: AnchoredText[]): Gap[] {
  const indexesById = new Map(after.map(({ id }, index) => [id, index]));
  const gaps: Gap[] = [];
  let open: Gap = { before: [], after: [] };
  let next = 0;
  for (const heading of before) {
    const index = indexesById.get(heading.id) ?? -1;
    if (index < next) open.before.push(heading);
    else {
      gaps.push({ ...open, after: after.slice(next, index) });
      open = { before: [], after: [] };
      next = index + 1;
    }
  }
  gaps.push({ ...open, after: after.slice(next) });
  return gaps.filter((gap) => gap.before.length > 0);
}
