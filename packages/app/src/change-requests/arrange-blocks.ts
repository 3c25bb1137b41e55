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

/**
 * Orders the nodes of two versions of a page for one list. `changes` are the blocks that differ. A block can be drawn as
 * several nodes, such as an embed and its caption, of which only the first has the key of the block.
 */
export function arrangeBlocks(before: PageNode[], after: PageNode[], changes: BlockChange[]): ShownBlock[] {
  const formerNodes = new Map(before.map((node) => [node.key, node]));
  const byFormer = indexByKey(changes, 'before');
  const byCurrent = indexByKey(changes, 'after');
  const pairs = pairUnchanged(
    before,
    after,
    (node) => (byFormer.get(node.key ?? '') ?? byCurrent.get(node.key ?? '')) !== undefined,
  );
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
    } else if (change?.change === 'changed') addChanged(change.after);
    else if (change?.change === 'moved') blocks.push({ kind: 'moved-away', before: node });
    else {
      const isMoved = change === undefined && blocks.at(-1)?.kind === 'moved-away';
      blocks.push({ kind: isMoved ? 'moved-away' : 'removed', before: node });
    }
  }
  addChanged();
  return blocks;
}

const getText = ({ type, leaves = [], nodes = [], fragments = [] }: PageNode): string =>
  [type, ...leaves.map(({ text }) => text), ...[...nodes, ...fragments].map(getText)].join(' ');

/**
 * Pairs the unchanged nodes of two versions, in order. A node that is neither changed nor equal to its counterpart, and
 * follows a changed block, is a further node of this block.
 */
function pairUnchanged(
  before: PageNode[],
  after: PageNode[],
  isChanged: (node: PageNode) => boolean,
): Map<PageNode, PageNode> {
  const pairs = new Map<PageNode, PageNode>();
  const former = { nodes: before, next: 0, isAfterChange: false };
  const current = { nodes: after, next: 0, isAfterChange: false };
  const skip = (side: typeof former): PageNode | undefined => {
    for (let node = side.nodes[side.next]; node !== undefined; node = side.nodes[side.next]) {
      if (!isChanged(node)) return node;
      side.isAfterChange = true;
      side.next += 1;
    }
    return undefined;
  };
  for (;;) {
    const [old, present] = [skip(former), skip(current)];
    if (old === undefined || present === undefined) return pairs;
    const isPair = getText(old) === getText(present) || (!former.isAfterChange && !current.isAfterChange);
    if (!isPair) {
      (current.isAfterChange ? current : former).next += 1;
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
