import { isSameTitle } from '@octavo/markdown/anchors';
import { createLineNumbering, matchLines } from '@octavo/merge';
import type { PageNode } from '@octavo/reader/drawing';
import type { BlockChange } from '@octavo/schema';

/** A block in two versions of a page. A moved block is shown at its former position and at its new one. */
export interface ShownBlock {
  kind: 'unchanged' | 'changed' | 'added' | 'removed' | 'moved-here' | 'moved-away';
  before?: PageNode | undefined;
  after?: PageNode | undefined;
  /** The words of a changed block. */
  words?: BlockChange['words'];
}

/** The titles of a page in two versions. A first heading that repeats the title is not drawn. */
export interface PageTitles {
  before: string | undefined;
  after: string | undefined;
}

/**
 * Orders the nodes of two versions of a page for one list. `changes` are the blocks that differ. A block can be drawn
 * as several nodes, such as an embed and its caption, of which only the first has the key of the block.
 */
export function arrangeBlocks(
  before: PageNode[],
  after: PageNode[],
  changes: BlockChange[],
  titles?: PageTitles,
): ShownBlock[] {
  const formerNodes = new Map(before.map((node) => [node.key, node]));
  const currentKeys = new Set(after.map(({ key }) => key));
  const byFormer = indexByKey(changes, 'before');
  const byCurrent = indexByKey(changes, 'after');
  const pairs = pairUnchanged({ nodes: before, changes: byFormer }, { nodes: after, changes: byCurrent });
  const paired = new Set(pairs.values());
  const blocks: ShownBlock[] = [];
  let next = 0;
  /** Adds nodes of the later version, up to the given block or to the next unchanged one. */
  const addChanged = (last?: string): void => {
    let isLast = false;
    for (let node = after[next]; node !== undefined && !paired.has(node); node = after[next]) {
      const change = byCurrent.get(node.key ?? '');
      if (change !== undefined && isLast) return;
      if (change !== undefined) blocks.push(toShownBlock(change, formerNodes.get(change.before), node));
      else if (isRepeatedTitle(node, titles?.before)) blocks.push({ kind: 'unchanged', after: node });
      else blocks.push({ kind: blocks.at(-1)?.kind === 'moved-here' ? 'moved-here' : 'added', after: node });
      isLast ||= last !== undefined && node.key === last;
      next += 1;
    }
  };
  for (const node of before) {
    const change = byFormer.get(node.key ?? '');
    const unchanged = pairs.get(node);
    if (unchanged !== undefined) {
      addChanged();
      blocks.push({ kind: 'unchanged', before: node, after: unchanged });
      next += 1;
    } else if (change?.change === 'changed' && currentKeys.has(change.after)) addChanged(change.after);
    else if (change !== undefined) blocks.push({ kind: formerKinds[change.change], before: node });
    else if (!isRepeatedTitle(node, titles?.after))
      blocks.push({ kind: blocks.at(-1)?.kind === 'moved-away' ? 'moved-away' : 'removed', before: node });
  }
  addChanged();
  return blocks;
}

/** The kinds of blocks that only the former version draws. */
const formerKinds = { changed: 'changed', moved: 'moved-away', removed: 'removed', added: 'removed' } as const;

const getText = ({ type, leaves = [], nodes = [], fragments = [] }: PageNode): string =>
  [type, ...leaves.map(({ text }) => text), ...[...nodes, ...fragments].map(getText)].join(' ');

const getPlainText = ({ leaves = [], nodes = [] }: PageNode): string =>
  [...leaves.map(({ text }) => text), ...nodes.map(getPlainText)].join('');

/** Whether a node is a heading that the other version does not draw, because its page has the same title. */
function isRepeatedTitle(node: PageNode, title: string | undefined): boolean {
  const isHeading = node.type?.startsWith('heading-') === true;
  return isHeading && isSameTitle(getPlainText(node), title);
}

/** The nodes of a version, and its changed blocks by their keys. */
interface Version {
  nodes: PageNode[];
  changes: Map<string, BlockChange>;
}

const getChange = ({ changes }: Version, { key = '' }: PageNode): BlockChange | undefined => changes.get(key);

/**
 * Pairs the unchanged nodes of two versions. First pairs nodes whose keys contain the same hash, in order. Then pairs
 * the remaining nodes between them.
 */
function pairUnchanged(before: Version, after: Version): Map<PageNode, PageNode> {
  const [formerNodes, currentNodes] = [listUnchanged(before), listUnchanged(after)];
  const number = createLineNumbering();
  const [former, current] = [formerNodes, currentNodes].map((nodes) => number(nodes.map(getContent)));
  const matches = former && current && matchLines(former, current);
  const pairs = new Map<PageNode, PageNode>();
  const positions = new Map(after.nodes.map((node, index) => [node, index]));
  const matched = new Map(formerNodes.map((node, index) => [node, currentNodes[matches?.[index] ?? -1]]));
  let [start, currentStart] = [0, 0];
  for (const [index, node] of [...before.nodes, undefined].entries()) {
    const partner = node && matched.get(node);
    if (node !== undefined && partner === undefined) continue;
    const end = partner === undefined ? after.nodes.length : (positions.get(partner) ?? 0);
    pairBetween(
      { ...before, nodes: before.nodes.slice(start, index) },
      { ...after, nodes: after.nodes.slice(currentStart, end) },
      pairs,
    );
    if (node !== undefined && partner !== undefined) pairs.set(node, partner);
    [start, currentStart] = [index + 1, end + 1];
  }
  return pairs;
}

/** Returns the part of a key that is a hash of the content. */
const getContent = ({ key = '' }: PageNode): string => key.split('-')[0] ?? '';

/** Lists the nodes with the keys of unchanged blocks. A paragraph after a changed embed or file can be its caption. */
const listUnchanged = (version: Version): PageNode[] =>
  version.nodes.filter((node, index) => {
    if (node.key === undefined || getChange(version, node) !== undefined) return false;
    const previous = version.nodes[index - 1];
    const type = previous && getChange(version, previous)?.type;
    return node.type !== 'paragraph' || (type !== 'embed' && type !== 'file');
  });

/** Whether two nodes have the same content hash in their keys, or the same text if one of them has no key. */
const isEqual = (one: PageNode, other: PageNode): boolean =>
  one.key === undefined || other.key === undefined
    ? getText(one) === getText(other)
    : getContent(one) === getContent(other);

/**
 * Pairs the nodes between two unchanged blocks. A changed block can be drawn as several nodes, of which only the first
 * has its key. So a node without a change that follows a changed block, and differs from its counterpart, belongs to
 * this block and is skipped.
 */
function pairBetween(before: Version, after: Version, pairs: Map<PageNode, PageNode>): void {
  const former = { ...before, next: 0, isAfterChange: false };
  const current = { ...after, next: 0, isAfterChange: false };
  const skip = (side: typeof former): PageNode | undefined => {
    for (let node = side.nodes[side.next]; node !== undefined; node = side.nodes[side.next]) {
      if (getChange(side, node) === undefined) return node;
      side.isAfterChange = true;
      side.next += 1;
    }
    return undefined;
  };
  for (;;) {
    const [old, present] = [skip(former), skip(current)];
    if (old === undefined || present === undefined) return;
    const isAfterChange = former.isAfterChange || current.isAfterChange;
    const hasKey = old.key !== undefined || present.key !== undefined;
    if (!isEqual(old, present) && (isAfterChange || hasKey)) {
      const isCurrent = isAfterChange ? current.isAfterChange : present.key !== undefined;
      (isCurrent ? current : former).next += 1;
      continue;
    }
    pairs.set(old, present);
    for (const side of [former, current]) Object.assign(side, { next: side.next + 1, isAfterChange: false });
  }
}

const indexByKey = (changes: BlockChange[], side: 'before' | 'after'): Map<string, BlockChange> =>
  new Map(changes.flatMap((change) => (change[side] === undefined ? [] : [[change[side], change] as const])));

function toShownBlock({ change, words }: BlockChange, before: PageNode | undefined, after: PageNode): ShownBlock {
  if (change === 'moved') return { kind: 'moved-here', after };
  return change === 'changed' ? { kind: 'changed', before, after, words } : { kind: 'added', after };
}

/** Changed blocks with their neighbors, or unchanged blocks that are not shown at first. */
export type BlockSection = { blocks: ShownBlock[] } | { hidden: ShownBlock[] };

/** Number of unchanged blocks that are shown before and after a change. */
const contextBlocks = 1;

/** Groups the blocks of a page: changes with the blocks beside them, and the unchanged blocks between them. */
export function groupBlocks(blocks: ShownBlock[]): BlockSection[] {
  const isChanged = (index: number): boolean => (blocks[index]?.kind ?? 'unchanged') !== 'unchanged';
  const isShown = blocks.map((_, index) =>
    Array.from({ length: 2 * contextBlocks + 1 }, (_, offset) => index + offset - contextBlocks).some(isChanged),
  );
  const sections: BlockSection[] = [];
  blocks.forEach((block, index) => {
    const last = sections.at(-1);
    if (isShown[index] === true) {
      if (last !== undefined && 'blocks' in last) last.blocks.push(block);
      else sections.push({ blocks: [block] });
    } else if (last !== undefined && 'hidden' in last) last.hidden.push(block);
    else sections.push({ hidden: [block] });
  });
  return sections;
}
