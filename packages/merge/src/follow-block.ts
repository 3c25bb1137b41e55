import { type Block, isBlock, type TreeSteps } from '@octavo/markdown';
import {
  BlockPairing,
  type BlockWords,
  findRegions,
  getContent,
  getPreview,
  microsecondsPerBlock,
  pairByIndex,
  type Region,
} from './pair-blocks.ts';

/** A block with its key and the start of its text. */
export interface FoundBlock {
  key: string;
  preview: string;
}

/**
 * Returns a function that finds blocks of one document in another, by key. If no earlier document is given, the keys
 * belong to the later one. Deleted blocks are not in the result.
 */
export function createFollower(
  now: Block[],
): (before: Block[] | undefined, keys: Iterable<string>) => TreeSteps<Map<string, FoundBlock>> {
  let currentBlocks: Map<string, Block> | undefined;
  const words: BlockWords = new WeakMap();
  return function* (before, keys) {
    currentBlocks ??= yield* indexByKey(now);
    const blocks = before === undefined ? currentBlocks : yield* indexByKey(before);
    const successors = before === undefined ? undefined : yield* new BlockFollower(words).follow(before, now);
    const blocksById = new Map<string, FoundBlock>();
    for (const key of keys) {
      const block = blocks.get(key);
      const successor =
        block === undefined ? currentBlocks.get(key) : successors === undefined ? block : successors.get(block);
      if (successor?.key !== undefined) blocksById.set(key, { key: successor.key, preview: getPreview(successor) });
    }
    return blocksById;
  };
}

function* listBlocks(nodes: Block['nodes']): Generator<Block> {
  for (const node of nodes) {
    if (!isBlock(node)) continue;
    yield node;
    yield* listBlocks(node.nodes);
  }
}

function* indexByKey(nodes: Block[]): TreeSteps<Map<string, Block>> {
  const blocks = new Map<string, Block>();
  for (const node of listBlocks(nodes)) {
    blocks.set(node.key ?? '', node);
    yield microsecondsPerBlock;
  }
  return blocks;
}

/** Groups the blocks that are not in `paired` by their content. */
function* groupByContent(
  blocks: Iterable<Block>,
  paired: { has: (block: Block) => boolean },
): TreeSteps<Map<string, Block[]>> {
  const groups = new Map<string, Block[]>();
  for (const block of blocks) {
    yield microsecondsPerBlock;
    if (paired.has(block)) continue;
    const group = groups.get(getContent(block));
    if (group === undefined) groups.set(getContent(block), [block]);
    else group.push(block);
  }
  return groups;
}

/**
 * Assigns each block to its successor: first unchanged blocks, then moved blocks, then blocks that were edited in
 * place.
 */
export class BlockFollower {
  readonly #successors = new Map<Block, Block>();
  readonly #pairedBlocks = new Set<Block>();
  readonly #pairing: BlockPairing;

  constructor(words: BlockWords) {
    this.#pairing = new BlockPairing(words);
  }

  *follow(former: Block[], now: Block[]): TreeSteps<ReadonlyMap<Block, Block>> {
    const regions = yield* this.#keepEqualBlocks(former, now);
    yield* this.#findUnique(listBlocks(former), listBlocks(now));
    yield* this.#pair(regions);
    yield* this.#findMoved(listBlocks(former), listBlocks(now));
    return this.#successors;
  }

  *#keepEqualBlocks(former: Block[], now: Block[]): TreeSteps<Region[]> {
    const regions = yield* findRegions(former, now);
    for (const { keptPair } of regions) if (keptPair !== undefined) yield* this.#pairEqual(...keptPair);
    yield* this.#findMoved(
      regions.flatMap(({ former }) => former),
      regions.flatMap(({ current }) => current),
    );
    return regions;
  }

  *#pair(regions: Region[]): TreeSteps<void> {
    for (const { former, current } of regions) {
      yield microsecondsPerBlock;
      const unpaired = former.filter((node) => !this.#successors.has(node));
      const added = current.filter((node) => !this.#pairedBlocks.has(node));
      for (const [one, other] of yield* this.#pairing.pairBlocks(unpaired, added)) {
        this.#put(one, other);
        yield* this.#pair(yield* this.#keepEqualBlocks(one.nodes.filter(isBlock), other.nodes.filter(isBlock)));
      }
    }
  }

  /** Pairs blocks with equal content that occurs exactly once in each text, regardless of their positions. */
  *#findUnique(former: Iterable<Block>, current: Iterable<Block>): TreeSteps<void> {
    const unpairedByContent = yield* groupByContent(former, this.#successors);
    const added = yield* groupByContent(current, this.#pairedBlocks);
    for (const [content, [one, ...otherBlocks]] of unpairedByContent) {
      yield microsecondsPerBlock;
      const [other, ...others] = added.get(content) ?? [];
      if (one !== undefined && other !== undefined && otherBlocks.length + others.length === 0) this.#put(one, other);
    }
  }

  /** Pairs blocks with equal content in the order of each list. */
  *#findMoved(former: Iterable<Block>, current: Iterable<Block>): TreeSteps<void> {
    const unpairedByContent = yield* groupByContent(current, this.#pairedBlocks);
    for (const list of unpairedByContent.values()) list.reverse();
    for (const node of former) {
      yield microsecondsPerBlock;
      if (this.#successors.has(node)) continue;
      const list = unpairedByContent.get(getContent(node));
      let other = list?.pop();
      while (other !== undefined && this.#pairedBlocks.has(other)) other = list?.pop();
      if (other !== undefined) yield* this.#pairEqual(node, other);
    }
  }

  /** Pairs two blocks with equal content, and all blocks inside them. */
  *#pairEqual(one: Block, other: Block): TreeSteps<void> {
    const pairs = [[one, other] as const];
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const [former, current] = pair;
      this.#put(former, current);
      for (const inner of pairByIndex(former.nodes.filter(isBlock), current.nodes.filter(isBlock))) pairs.push(inner);
      yield microsecondsPerBlock;
    }
  }

  #put(one: Block, other: Block): void {
    this.#successors.set(one, other);
    this.#pairedBlocks.add(other);
  }
}
