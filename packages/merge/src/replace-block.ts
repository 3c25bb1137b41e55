import {
  type Block,
  createBlock,
  type DocumentTree,
  getTextAt,
  parseTree,
  parseTreeInSteps,
  renderTreeInSteps,
  type TreeData,
  type TreeSteps,
} from '@octavo/markdown';
import { createFollower } from './follow-block.ts';
import { getContent } from './pair-blocks.ts';

const getMarkup = (data: TreeData, key: string): string | undefined => getTextAt(data.markup, key);

const findBlock = ({ nodes }: DocumentTree, key: string): Block | undefined => nodes.find((node) => node.key === key);

/** Parses a text into a tree whose blocks can be replaced, in steps. */
export const parseSourcesInSteps = (markdown: string): TreeSteps<DocumentTree> =>
  parseTreeInSteps(markdown, { sources: 'all' });

/** Returns the Markdown of a top-level block of a tree with sources; undefined if the tree has no such block. */
export function findBlockSource(tree: DocumentTree, key: string): string | undefined {
  const block = findBlock(tree, key);
  return block && getMarkup(block.data, 'source');
}

/** Returns the Markdown of a top-level block; undefined if the text has no such block. */
export const getBlockSource = (markdown: string, key: string): string | undefined =>
  findBlockSource(parseTree(markdown, { sources: 'all' }), key);

/**
 * Returns the key of a top-level block of a former document in the current one, which has sources; undefined if the
 * block was changed, deleted or moved into another block.
 */
export function* findUnchangedBlock(
  former: DocumentTree,
  current: DocumentTree,
  key: string,
): TreeSteps<string | undefined> {
  const found = (yield* createFollower(current.nodes)(former.nodes, [key])).get(key);
  const isEqual = found !== undefined && getContent(found) === getContent({ key });
  return isEqual && findBlockSource(current, found.key) !== undefined ? found.key : undefined;
}

/** Separates a block from the previous one by a blank line. Otherwise, one could become a part of the other. */
function addBlankLine(node: Block): Block {
  const before = getMarkup(node.data, 'before');
  if (before === undefined || /\n[ \t]*\n/.test(before)) return node;
  const { before: _, ...markup } = node.data.markup as TreeData;
  return { ...node, data: { ...node.data, markup } };
}

/**
 * Replaces a top-level block of a tree with sources by other Markdown, or removes it if that is empty. All other blocks
 * keep their bytes. Returns undefined if the new text would change more than the block: the frontmatter or another
 * block, for example because it opens a comment that also contains the following blocks.
 */
export function* replaceBlock(tree: DocumentTree, key: string, replacement: string): TreeSteps<string | undefined> {
  const index = tree.nodes.findIndex((node) => node.key === key);
  const replaced = tree.nodes[index];
  if (replaced === undefined) return undefined;
  const text = replacement
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  const before = getMarkup(replaced.data, 'before');
  const data = { markdown: text, ...(before === undefined ? {} : { markup: { before } }) };
  const inserted = text === '' ? [] : [createBlock('markdown', data)];
  const nodes = tree.nodes
    .toSpliced(index, 1, ...inserted)
    .map((node, at) => (at > 0 && at >= index && at <= index + inserted.length ? addBlankLine(node) : node));
  const markdown = yield* renderTreeInSteps({ ...tree, nodes });
  const changed = yield* parseSourcesInSteps(markdown);
  return (yield* hasEqualSurroundings(tree, changed, index)) ? markdown : undefined;
}

/** Whether two trees have the same frontmatter, and the same blocks before and after the block with this index. */
function* hasEqualSurroundings(former: DocumentTree, changed: DocumentTree, index: number): TreeSteps<boolean> {
  const added = changed.nodes.length - former.nodes.length;
  if (added < -1 || former.data.frontmatter !== changed.data.frontmatter) return false;
  for (const [at, node] of former.nodes.entries()) {
    yield;
    if (at !== index && !isEqualBlock(node, changed.nodes[at < index ? at : at + added])) return false;
  }
  return true;
}

/** The content of a block with an unchanged source can differ, because definitions of links precede or follow it. */
const isEqualBlock = (one: Block, other: Block | undefined): boolean =>
  other !== undefined &&
  getContent(one) === getContent(other) &&
  getMarkup(one.data, 'source') === getMarkup(other.data, 'source');
