import type { Block, TreeSteps } from '@octavo/markdown';
import { diffWordsInSteps, type WordDifference } from './diff-words.ts';
import { BlockFollower } from './follow-block.ts';
import { findRegions, getBlockText, getContent, getPreview, microsecondsPerBlock, type Region } from './pair-blocks.ts';

/** A top-level block that differs between two documents. Blocks are identified by their keys. */
export interface BlockDifference {
  change: 'added' | 'removed' | 'changed' | 'moved';
  type: string;
  before?: string;
  after?: string;
  /** The start of the text of an added, removed or moved block. */
  preview?: string;
  /** The words of a changed block, unless its text is too long. */
  words?: WordDifference[];
}

/** Maximum length of the text of a block whose words are compared. */
const maxComparedText = 20_000;
/** Estimated duration of reading the start of the text of a block. */
const microsecondsPerPreview = 10;

interface DifferenceLimits {
  /** Maximum number of differing blocks. */
  blocks: number;
  /** Maximum total length of the compared words. */
  words: number;
}

/**
 * Compares the top-level blocks of two documents, in the order of the later one. A removed block precedes the blocks
 * that replace it. `truncated` is set if more blocks differ than the limit allows.
 */
export function* diffBlocks(
  former: Block[],
  current: Block[],
  limits: DifferenceLimits,
): TreeSteps<{ blocks: BlockDifference[]; truncated?: true }> {
  const pairs = yield* pairTopLevelBlocks(former, current);
  const blocks: BlockDifference[] = [];
  let remainingLength = limits.words;
  for (const region of yield* findRegions(former, current)) {
    for (const [before, after] of alignRegion(region, pairs)) {
      if (blocks.length === limits.blocks) return { blocks, truncated: true };
      const difference = yield* describeDifference(before, after, remainingLength);
      const length = difference.words?.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
      const { words: _, ...withoutWords } = difference;
      blocks.push(length > remainingLength ? withoutWords : difference);
      remainingLength -= Math.min(length, remainingLength);
    }
    yield microsecondsPerBlock;
  }
  return { blocks };
}

/** Maps each unchanged or edited top-level block of the former document to the current one, and the reverse. */
interface BlockPairs {
  successors: ReadonlyMap<Block, Block>;
  predecessors: ReadonlyMap<Block, Block>;
}

/** A block that was moved into or out of another block is no pair: its document lost or gained a top-level block. */
function* pairTopLevelBlocks(former: Block[], current: Block[]): TreeSteps<BlockPairs> {
  const followed = yield* new BlockFollower(new WeakMap()).follow(former, current);
  const currentBlocks = new Set(current);
  const [successors, predecessors] = [new Map<Block, Block>(), new Map<Block, Block>()];
  for (const block of former) {
    yield microsecondsPerBlock;
    const successor = followed.get(block);
    if (successor === undefined || !currentBlocks.has(successor)) continue;
    successors.set(block, successor);
    predecessors.set(successor, block);
  }
  return { successors, predecessors };
}

type Versions = [before: Block | undefined, after: Block | undefined];

/** Orders the blocks of a region. Those that were moved out of it are listed at their current position. */
function alignRegion({ former, current }: Region, { successors, predecessors }: BlockPairs): Versions[] {
  const indexes = new Map(current.map((block, index) => [block, index]));
  const aligned: Versions[] = [];
  let next = 0;
  const addCurrent = (end: number): void => {
    for (const block of current.slice(next, end)) aligned.push([predecessors.get(block), block]);
    next = Math.max(next, end);
  };
  for (const block of former) {
    const successor = successors.get(block);
    if (successor === undefined) aligned.push([block, undefined]);
    else addCurrent((indexes.get(successor) ?? -1) + 1);
  }
  addCurrent(current.length);
  return aligned;
}

/** Describes the difference of two versions of a block, without words if the maximum length of the words is 0. */
function* describeDifference(
  before: Block | undefined,
  after: Block | undefined,
  maxLength: number,
): TreeSteps<BlockDifference> {
  const shown = after ?? before;
  const keys = {
    type: shown?.type ?? '',
    ...(before?.key === undefined ? {} : { before: before.key }),
    ...(after?.key === undefined ? {} : { after: after.key }),
  };
  const preview = shown === undefined ? '' : getPreview(shown);
  yield microsecondsPerPreview;
  if (before === undefined) return { change: 'added', ...keys, preview };
  if (after === undefined) return { change: 'removed', ...keys, preview };
  if (getContent(before) === getContent(after)) return { change: 'moved', ...keys, preview };
  if (maxLength === 0) return { change: 'changed', ...keys };
  const texts = [before, after].map((block) => getBlockText(block, maxComparedText + 1).trim());
  if (texts.some((text) => text.length > maxComparedText)) return { change: 'changed', ...keys };
  return { change: 'changed', ...keys, words: yield* diffWordsInSteps(texts[0] ?? '', texts[1] ?? '') };
}
