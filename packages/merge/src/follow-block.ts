import { type Block, isBlock, parseTree } from '@octavo/markdown';
import {
  BlockPairing,
  type BlockWords,
  findRegions,
  getContent,
  getPreview,
  pairByIndex,
  type Region,
} from './pair-blocks.ts';

/** A block with its key and the start of its text. */
export interface FoundBlock {
  key: string;
  preview: string;
}

/**
 * Returns a function that finds blocks of one text in another, by key. Without the earlier text, the keys belong to the
 * later text. Deleted blocks are not in the result.
 */
export function createFollower(
  after: string,
): (before: string | undefined, keys: Iterable<string>) => Map<string, FoundBlock> {
  const now = parseTree(after).nodes;
  const currentBlocks = indexByKey(now);
  const words: BlockWords = new WeakMap();
  return (before, keys) => {
    const formerBlocks = before === undefined || before === after ? undefined : parseTree(before).nodes;
    const blocks = formerBlocks === undefined ? currentBlocks : indexByKey(formerBlocks);
    const successors = formerBlocks === undefined ? undefined : new BlockFollower(words).follow(formerBlocks, now);
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

const indexByKey = (nodes: Block[]): Map<string, Block> =>
  new Map([...listBlocks(nodes)].map((node) => [node.key ?? '', node]));

/**
 * Assigns each block to its successor: first unchanged blocks, then moved blocks, then blocks that were edited in
 * place.
 */
class BlockFollower {
  readonly #successors = new Map<Block, Block>();
  readonly #pairedBlocks = new Set<Block>();
  readonly #pairing: BlockPairing;

  constructor(words: BlockWords) {
    this.#pairing = new BlockPairing(words);
  }

  follow(former: Block[], now: Block[]): ReadonlyMap<Block, Block> {
    const regions = this.#keep(former, now);
    this.#findUnique(listBlocks(former), listBlocks(now));
    this.#pair(regions);
    this.#findMoved(listBlocks(former), listBlocks(now));
    return this.#successors;
  }

  #keep(former: Block[], now: Block[]): Region[] {
    const regions = findRegions(former, now);
    for (const { keptPair } of regions) if (keptPair !== undefined) this.#take(...keptPair);
    this.#findMoved(
      regions.flatMap(({ former }) => former),
      regions.flatMap(({ current }) => current),
    );
    return regions;
  }

  #pair(regions: Region[]): void {
    for (const { former, current } of regions) {
      const unpaired = former.filter((node) => !this.#successors.has(node));
      const added = current.filter((node) => !this.#pairedBlocks.has(node));
      for (const [one, other] of this.#pairing.pairBlocks(unpaired, added)) {
        this.#put(one, other);
        this.#pair(this.#keep(one.nodes.filter(isBlock), other.nodes.filter(isBlock)));
      }
    }
  }

  /** Pairs blocks with a content that each text has exactly once, wherever they are. */
  #findUnique(former: Iterable<Block>, current: Iterable<Block>): void {
    const unpairedByContent = Map.groupBy(
      [...former].filter((node) => !this.#successors.has(node)),
      getContent,
    );
    const added = Map.groupBy(
      [...current].filter((node) => !this.#pairedBlocks.has(node)),
      getContent,
    );
    for (const [content, [one, ...otherBlocks]] of unpairedByContent) {
      const [other, ...others] = added.get(content) ?? [];
      if (one !== undefined && other !== undefined && otherBlocks.length + others.length === 0) this.#put(one, other);
    }
  }

  /** Pairs blocks with equal content in the order of each list. */
  #findMoved(former: Iterable<Block>, current: Iterable<Block>): void {
    const unpairedByContent = Map.groupBy(
      [...current].filter((node) => !this.#pairedBlocks.has(node)).reverse(),
      getContent,
    );
    for (const node of former) {
      if (this.#successors.has(node)) continue;
      const list = unpairedByContent.get(getContent(node));
      let other = list?.pop();
      while (other !== undefined && this.#pairedBlocks.has(other)) other = list?.pop();
      if (other !== undefined) this.#take(node, other);
    }
  }

  /** Pairs two blocks with equal content, and all blocks inside them. */
  #take(one: Block, other: Block): void {
    this.#put(one, other);
    for (const pair of pairByIndex(one.nodes.filter(isBlock), other.nodes.filter(isBlock))) this.#take(...pair);
  }

  #put(one: Block, other: Block): void {
    this.#successors.set(one, other);
    this.#pairedBlocks.add(other);
  }
}
