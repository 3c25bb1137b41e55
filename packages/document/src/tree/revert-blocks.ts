import { matchLines } from '../match-lines.ts';
import type { Block, DocumentTree } from './document-tree.ts';
import { parseTree } from './parse-tree.ts';
import { renderTree } from './render-tree.ts';

/** The text after the revert, and which of the keys name no block of either text. */
export interface RevertedBlocks {
  markdown: string;
  unknown: string[];
}

/**
 * Sets single blocks of the top level back to what they were in `before`: a key names a block of either text. An added
 * block goes, a deleted one comes back, a changed one is what it was; all others stay as they are.
 */
export function revertBlocks(markdown: string, before: string, keys: readonly string[]): RevertedBlocks {
  const [now, then] = [parseTree(markdown), parseTree(before)];
  const wanted = new Set(keys);
  const known = new Set([...now.nodes, ...then.nodes].map(({ key }) => key));
  const nodes = regionsOf(now, then).flatMap(({ kept, was, is }) => [
    ...Array.from({ length: Math.max(was.length, is.length) }, (_, index) =>
      isWanted(was[index], wanted) || isWanted(is[index], wanted) ? was[index] : is[index],
    ),
    kept,
  ]);
  const reverted = { ...now, nodes: nodes.filter((node) => node !== undefined) };
  return { markdown: renderTree(reverted), unknown: keys.filter((key) => !known.has(key)) };
}

const isWanted = (node: Block | undefined, wanted: ReadonlySet<string>): boolean =>
  node?.key !== undefined && wanted.has(node.key);

/** What differs between two blocks that both texts have, and the block that follows; the last region has none. */
interface Region {
  was: Block[];
  is: Block[];
  kept: Block | undefined;
}

function regionsOf(now: DocumentTree, then: DocumentTree): Region[] {
  const number = numbering();
  const matches = matchLines(number(then.nodes), number(now.nodes)) ?? new Int32Array(then.nodes.length).fill(-1);
  const regions: Region[] = [];
  let [from, to] = [0, 0];
  matches.forEach((match, index) => {
    if (match < 0) return;
    regions.push({ was: then.nodes.slice(from, index), is: now.nodes.slice(to, match), kept: now.nodes[match] });
    [from, to] = [index + 1, match + 1];
  });
  return [...regions, { was: then.nodes.slice(from), is: now.nodes.slice(to), kept: undefined }];
}

/** Numbers for blocks: those of equal content get equal numbers, the place of a repeated one left aside. */
function numbering(): (nodes: Block[]) => Int32Array {
  const numbers = new Map<string, number>();
  return (nodes) =>
    Int32Array.from(nodes, ({ key = '' }) => {
      const content = key.split('-')[0] ?? '';
      const number = numbers.get(content) ?? numbers.size;
      numbers.set(content, number);
      return number;
    });
}
