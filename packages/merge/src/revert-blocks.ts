import { type Block, parseTree, renderTree } from '@octavo/markdown';
import { findRegions } from './pair-blocks.ts';

/** The reverted text, and the keys that match no block of either text. */
interface RevertedBlocks {
  markdown: string;
  unknown: string[];
}

/**
 * Reverts single top-level blocks to their state in `before`. A key names a block of either text. An added block is
 * removed, a deleted one restored, a changed one reset; all others remain unchanged.
 */
export function revertBlocks(markdown: string, before: string, keys: readonly string[]): RevertedBlocks {
  const [now, then] = [parseTree(markdown), parseTree(before)];
  const selected = new Set(keys);
  const foundKeys = new Set([...now.nodes, ...then.nodes].map(({ key }) => key));
  const nodes = findRegions(then.nodes, now.nodes).flatMap(({ kept, was, is }) => [
    ...Array.from({ length: Math.max(was.length, is.length) }, (_, index) =>
      isSelected(was[index], selected) || isSelected(is[index], selected) ? was[index] : is[index],
    ),
    kept?.[1],
  ]);
  const reverted = { ...now, nodes: nodes.filter((node) => node !== undefined) };
  return { markdown: renderTree(reverted), unknown: keys.filter((key) => !foundKeys.has(key)) };
}

const isSelected = (node: Block | undefined, selected: ReadonlySet<string>): boolean =>
  node?.key !== undefined && selected.has(node.key);
