import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Anchor, AnchoredText } from '@octavo/markdown';
import { anchoredTexts, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink, nodeKey } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { ContentTree } from '../edit/tree.ts';
import type { StoredText } from '../store/documents.ts';
import type { NodeWrite } from '../store/revisions.ts';
import type { Lookup } from './targets.ts';
import { firstOf, lookupKey, NodeIndex, readTarget, readTargets, targetReads } from './targets.ts';

/** What one batch looks up at most; further targets are looked up whenever they are read. */
const maxLookups = 5_000;
/** What the links of one node may take, in characters of their targets. */
const maxLinksLength = 100_000;

/** What is known of the content that a batch writes, and what it writes. */
export type WrittenTree = Pick<
  ContentTree,
  'getWrites' | 'nodes' | 'findRef' | 'findUnmoved' | 'isDeleted' | 'loaded'
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

/** A target with the ways to find it; `shortened` are those that are to be looked up in the database. */
interface Wanted {
  node: Node;
  target: string;
  lookups: { lookup: Lookup; shortened: Lookup }[];
}

/**
 * What a batch writes, with what the links of its new documents mean: the ids of nodes as they are after the batch, and
 * with the anchors that their headings had before. A target that is not found is left out. One round trip, and none where the documents name nothing in the space.
 */
export async function resolveWrites(batch: Batch): Promise<NodeWrite[]> {
  const { db, tree, texts, lineage } = batch;
  const writes = tree.getWrites();
  const links = new Map(texts.map((text) => [text.hash, text.links.map(({ target }) => target)]));
  const markdown = new Map(texts.map((text) => [text.hash, text.markdown]));
  const written = writes.flatMap(({ node }) => (node !== undefined && links.has(node.document ?? '') ? [node] : []));
  const index = new NodeIndex(tree.nodes(), false);
  const wanted = written.flatMap((node) => wantedOf(node, links.get(node.document ?? '') ?? [], { batch, index }));
  const lookups = wanted.flatMap((each) => each.lookups.map(({ shortened }) => shortened)).slice(0, maxLookups);
  const reads = targetReads(lineage, lookups);
  const stored = readTargets(await runBatch(db, reads));
  const find = ({ lookup, shortened }: Wanted['lookups'][number]): Node | undefined => {
    const node = stored.get(lookupKey(shortened));
    const unmoved = node && tree.findUnmoved(node);
    return firstOf([index.find(lookup), unmoved].filter((each) => each !== undefined));
  };
  const resolved = Map.groupBy(wanted, ({ node }) => nodeKey(node));
  const formerAnchors = anchorsBefore(tree);
  return writes.map((write) => {
    const { node } = write;
    if (node === undefined) return write;
    if (node.document === null) return { ...write, node: { ...node, links: undefined, anchors: undefined } };
    if (!links.has(node.document)) return write;
    const kept = {
      links: linksOf(node, resolved.get(nodeKey(node)) ?? [], { find, tree }),
      anchors: formerAnchors(node, markdown.get(node.document)),
    };
    return { ...write, node: { ...node, ...kept } };
  });
}

function wantedOf(node: Node, targets: string[], { batch, index }: { batch: Batch; index: NodeIndex }): Wanted[] {
  const { space, urls, tree } = batch;
  const distinct = new Set(targets.map(withoutAnchor));
  return [...distinct].flatMap((target) => {
    const read = readTarget(target, { space, urls, node });
    if (read.kind !== 'node') return [];
    const named = tree.findRef(target.replace(/^\.\//, ''), target.replace(/^\.\//, '').replace(/\.md$/, ''));
    const lookups: Lookup[] = named === undefined ? read.lookups : [{ by: 'id', ...named }];
    const shortened = lookups.map((lookup) => ({
      lookup,
      shortened: lookup.by === 'slug' ? index.shorten(lookup) : lookup,
    }));
    return [{ node, target, lookups: shortened }];
  });
}

type Find = (lookup: Wanted['lookups'][number]) => Node | undefined;

/**
 * What a target meant before it keeps meaning, wherever that has gone since; but a file is what stands at its path now.
 */
function linksOf(node: Node, wanted: Wanted[], { find, tree }: { find: Find; tree: WrittenTree }): Node['links'] {
  const links: [string, string][] = [];
  let length = 0;
  for (const { target, lookups } of wanted) {
    const found = lookups.map((each) => ({ by: each.lookup.by, node: find(each) })).find((each) => each.node);
    const before = keptLink(node, target);
    const kept = before !== undefined && found?.by !== 'git' && !tree.isDeleted(before) ? before : found?.node?.id;
    length += target.length;
    if (kept !== undefined && length <= maxLinksLength) links.push([target, kept]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** What is kept of the former names of a page's headings at most. */
const maxKept = 200;
const maxAnchorsLength = 20_000;

/** How much of texts that are replaced one batch compares by their headings, in characters. */
const maxCompared = 500_000;

type Kept = Record<string, string>;
const none: Kept = {};

/** What is known of the pages that a batch writes: their states, and texts by their hashes. */
interface FormerTexts {
  loaded: (node: Node) => Node | undefined;
  content: { texts: ReadonlyMap<string, string> };
}

/**
 * Gives the anchors that headings of a page had before a text, as far as the text before is known. What one batch reads
 * for it is bounded: pages beyond keep what they had.
 */
export function anchorsBefore(tree: FormerTexts): (node: Node, now: string | undefined) => Node['anchors'] {
  let length = 0;
  return (node, now) => {
    const former = tree.loaded(node)?.document;
    if (node.kind !== 'page' || former == null) return undefined;
    if (former === node.document) return node.anchors;
    const before = tree.content.texts.get(former);
    length += (before?.length ?? 0) + (now?.length ?? 0);
    const isKnown = before !== undefined && now !== undefined && length <= maxCompared;
    return isKnown ? renamedAnchors(before, now, node.anchors) : node.anchors;
  };
}

/**
 * The former anchors of a page's headings, to the ids that these have now: those that were kept before, and those of
 * headings that a new text gives another title in the same place. Undefined where there are none.
 */
export function renamedAnchors(former: string, now: string, kept: Kept = none): Kept | undefined {
  if (headingLines(former) === headingLines(now)) return kept === none ? undefined : kept;
  const [before, after] = [anchoredTexts(former), anchoredTexts(now)];
  const renamed = new Map(
    pairsOf(before, after, isSameBelow(former, now)).flatMap(([old, { id }]) => namesOf(old).map((name) => [name, id])),
  );
  const there = new Set(after.flatMap(namesOf));
  const all = new Map([
    ...Object.entries(kept).map(([name, id]) => [name, renamed.get(id) ?? id] as const),
    ...renamed,
  ]);
  const left = [...all].filter(([name, id]) => !there.has(name) && there.has(id)).slice(-maxKept);
  let length = 0;
  const some = left.toReversed().filter(([name, id]) => {
    length += name.length + id.length;
    return length <= maxAnchorsLength;
  });
  return some.length === 0 ? undefined : Object.fromEntries(some.reverse());
}

/** All lines that may make headings or ids: where they are the same, nothing is read further. */
const headingLines = (text: string): string =>
  text
    .split('\n')
    .filter((line, index, lines) => mayName.test(line) || isUnderline.test(lines[index + 1] ?? ''))
    .join('\n');

const mayName = /^[ \t>]{0,9}(?:#|```|~~~)|<[a-z/!]|\{[%:#]|[{\s]#\S/i;
const isUnderline = /^[ \t]{0,3}(?:=+|-+)[ \t]*$/;

const namesOf = ({ id, aliases }: Anchor): string[] => [id, ...aliases];

/** Whether the texts differ in nothing but lines of headings. */
function isSameBelow(former: string, now: string): boolean {
  const below = (text: string): string => text.replace(/^ {0,3}#{1,6}[ \t].*$/gm, '#');
  return below(former) === below(now);
}

/**
 * Headings with another title in the same place: between headings that are in both texts, as many as before and of the
 * same levels, and with mostly the same text below. Where much else has changed, a heading in the same place is no
 * longer the same.
 */
function pairsOf(former: AnchoredText[], now: AnchoredText[], isSure: boolean): [Anchor, Anchor][] {
  const [before, after] = [former, now].map((all) => all.filter(({ level }) => level > 0)) as [
    AnchoredText[],
    AnchoredText[],
  ];
  const gaps = gapsOf(before, after);
  const changed = gaps.reduce((sum, gap) => sum + gap.before.length, 0);
  if (!isSure && changed > before.length - changed) return [];
  return gaps
    .filter((gap) => levelsOf(gap.before) === levelsOf(gap.after))
    .flatMap((gap) => gap.before.map((each, index): [AnchoredText, AnchoredText] => [each, gap.after[index] ?? each]))
    .filter(([old, { below }]) => isMostly(old.below, below));
}

const levelsOf = (headings: Anchor[]): string => headings.map(({ level }) => level).join(' ');

/** Whether at least half of the lines of each of two texts are in the other. */
function isMostly(former: string, now: string): boolean {
  if (former === now) return true;
  const [before, after] = [former, now].map((text) => text.split('\n').filter((line) => line.trim() !== '')) as [
    string[],
    string[],
  ];
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of after) {
    const count = left.get(line) ?? 0;
    if (count > 0) shared += 1;
    left.set(line, count - 1);
  }
  return shared * 2 >= Math.max(before.length, after.length);
}

interface Gap {
  before: AnchoredText[];
  after: AnchoredText[];
}

/** What stands between headings that are in both, in the order of both. */
function gapsOf(before: AnchoredText[], after: AnchoredText[]): Gap[] {
  const places = new Map(after.map(({ id }, index) => [id, index]));
  const gaps: Gap[] = [];
  let open: Gap = { before: [], after: [] };
  let next = 0;
  for (const heading of before) {
    const place = places.get(heading.id) ?? -1;
    if (place < next) open.before.push(heading);
    else {
      gaps.push({ ...open, after: after.slice(next, place) });
      open = { before: [], after: [] };
      next = place + 1;
    }
  }
  gaps.push({ ...open, after: after.slice(next) });
  return gaps.filter((gap) => gap.before.length > 0);
}
