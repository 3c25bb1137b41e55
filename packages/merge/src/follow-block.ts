import { type Block, isBlock, parseTree } from '@octavo/markdown';
import { contentOf, Pairing, previewOf, type Region, regionsOf, type WordsOfBlocks, zip } from './pair-blocks.ts';

/** A block by its key, with the start of its text. */
export interface FoundBlock {
  key: string;
  preview: string;
}

/**
 * Follows blocks to a text, which is read once. Without the text that the keys are of, they are keys of this one.
 * What is not in the answer is gone.
 */
export function followerTo(
  after: string,
): (before: string | undefined, keys: Iterable<string>) => Map<string, FoundBlock> {
  const now = parseTree(after).nodes;
  const known = byKey(now);
  const words: WordsOfBlocks = new WeakMap();
  return (before, keys) => {
    const then = before === undefined || before === after ? undefined : parseTree(before).nodes;
    const blocks = then === undefined ? known : byKey(then);
    const successors = then === undefined ? undefined : new Following(words).follow(then, now);
    const found = new Map<string, FoundBlock>();
    for (const key of keys) {
      const block = blocks.get(key);
      const successor = block === undefined ? known.get(key) : successors === undefined ? block : successors.get(block);
      if (successor?.key !== undefined) found.set(key, { key: successor.key, preview: previewOf(successor) });
    }
    return found;
  };
}

function* blocksIn(nodes: Block['nodes']): Generator<Block> {
  for (const node of nodes) {
    if (!isBlock(node)) continue;
    yield node;
    yield* blocksIn(node.nodes);
  }
}

const byKey = (nodes: Block[]): Map<string, Block> =>
  new Map([...blocksIn(nodes)].map((node) => [node.key ?? '', node]));

/** What became of each block: what stayed comes first, then what moved, then what was edited where it stood. */
class Following {
  readonly #successors = new Map<Block, Block>();
  readonly #taken = new Set<Block>();
  readonly #pairing: Pairing;

  constructor(words: WordsOfBlocks) {
    this.#pairing = new Pairing(words);
  }

  follow(then: Block[], now: Block[]): ReadonlyMap<Block, Block> {
    const regions = this.#keep(then, now);
    this.#findUnique(blocksIn(then), blocksIn(now));
    this.#pair(regions);
    this.#findMoved(blocksIn(then), blocksIn(now));
    return this.#successors;
  }

  #keep(then: Block[], now: Block[]): Region[] {
    const regions = regionsOf(then, now);
    for (const { kept } of regions) if (kept !== undefined) this.#take(...kept);
    this.#findMoved(
      regions.flatMap(({ was }) => was),
      regions.flatMap(({ is }) => is),
    );
    return regions;
  }

  #pair(regions: Region[]): void {
    for (const { was, is } of regions) {
      const lost = was.filter((node) => !this.#successors.has(node));
      const added = is.filter((node) => !this.#taken.has(node));
      for (const [one, other] of this.#pairing.pairsOf(lost, added)) {
        this.#put(one, other);
        this.#pair(this.#keep(one.nodes.filter(isBlock), other.nodes.filter(isBlock)));
      }
    }
  }

  /** Blocks of a content that each text has once, wherever they now are. */
  #findUnique(was: Iterable<Block>, is: Iterable<Block>): void {
    const lost = Map.groupBy(
      [...was].filter((node) => !this.#successors.has(node)),
      contentOf,
    );
    const added = Map.groupBy(
      [...is].filter((node) => !this.#taken.has(node)),
      contentOf,
    );
    for (const [content, [one, ...more]] of lost) {
      const [other, ...others] = added.get(content) ?? [];
      if (one !== undefined && other !== undefined && more.length + others.length === 0) this.#put(one, other);
    }
  }

  /** Blocks of equal content, those of each list in their order. */
  #findMoved(was: Iterable<Block>, is: Iterable<Block>): void {
    const free = Map.groupBy([...is].filter((node) => !this.#taken.has(node)).reverse(), contentOf);
    for (const node of was) {
      if (this.#successors.has(node)) continue;
      const list = free.get(contentOf(node));
      let other = list?.pop();
      while (other !== undefined && this.#taken.has(other)) other = list?.pop();
      if (other !== undefined) this.#take(node, other);
    }
  }

  /** Two of equal content, with all that they hold. */
  #take(one: Block, other: Block): void {
    this.#put(one, other);
    for (const pair of zip(one.nodes.filter(isBlock), other.nodes.filter(isBlock))) this.#take(...pair);
  }

  #put(one: Block, other: Block): void {
    this.#successors.set(one, other);
    this.#taken.add(other);
  }
}
