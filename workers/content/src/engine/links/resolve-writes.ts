import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import { withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink, nodeKey } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { ContentTree } from '../edit/tree.ts';
import type { StoredText } from '../nodes/documents.ts';
import type { NodeWrite } from '../nodes/write-nodes.ts';
import { readTargets, targetReads } from './find-targets.ts';
import type { Lookup } from './lookup.ts';
import { firstOf, lookupKey, NodeIndex } from './lookup.ts';
import { readTarget } from './read-target.ts';
import { anchorsBefore } from './renamed-anchors.ts';

/** What one batch looks up at most; further targets are looked up whenever they are read. */
const maxLookups = 5_000;
/** What the links of one node may take, in characters of their targets. */
const maxKeptLength = 100_000;

/** What is known of the content that a batch writes, and what it writes. */
export type WrittenTree = Pick<ContentTree, 'writes' | 'nodes' | 'named' | 'unmoved' | 'isDeleted' | 'loaded'> & {
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
  const writes = tree.writes();
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
    const unmoved = node && tree.unmoved(node);
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
    const named = tree.named(target.replace(/^\.\//, ''), target.replace(/^\.\//, '').replace(/\.md$/, ''));
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
    if (kept !== undefined && length <= maxKeptLength) links.push([target, kept]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}
