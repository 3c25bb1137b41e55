import {
  type Block,
  createBlock,
  type DocumentTree,
  getMarkup,
  getTextAt,
  hashContent,
  hashText,
  type TreeData,
} from './document-tree.ts';
import { copyMarkerFromSource } from './markup.ts';
import {
  getFragment,
  getNodes,
  PUBLISHED_VERSION,
  type PublishedDocument,
  type PublishedNode,
} from './published-nodes.ts';
import { getLabel, readPublishedNode } from './read-published.ts';
import { renderBlocks } from './render-blocks.ts';
import type { TreeSteps } from './steps.ts';

/**
 * A block and its published form. The published form is empty if the block is a title that the renderer draws itself.
 */
export type PublishedGroup = { node: Block; blocks: PublishedNode[]; isTitle: boolean };

/**
 * Adds the source that `readJsonTree` needs to restore the text. If the source of a block differs from the canonical
 * form, the `markup` of the block contains this source, the number of blocks that share it, and the text before it.
 */
export function* collectPreservedTexts(tree: DocumentTree, groups: PublishedGroup[]): TreeSteps<PublishedDocument> {
  const nodes: PublishedNode[] = [];
  let [pending, isAtStart, previous] = ['', true, undefined as Block | undefined];
  for (const { node, blocks } of groups) {
    yield;
    const source = getTextAt(node.data.markup, 'source');
    const before = getTextAt(node.data.markup, 'before') ?? (isAtStart ? '' : '\n\n');
    isAtStart = false;
    const [first, ...others] = blocks;
    if (first === undefined) {
      pending += before + (source ?? '');
      continue;
    }
    const markup: TreeData = {};
    if (pending + before !== (previous === undefined ? '' : '\n\n')) markup.before = pending + before;
    pending = '';
    const blocksRead = blocks.flatMap((block) => readPublishedNode(block));
    const plain = renderPlainBlocks(blocksRead, previous);
    if (source !== undefined && plain?.text !== source) {
      Object.assign(markup, { source, hash: toHash(blocksRead) }, others.length === 0 ? {} : { blocks: blocks.length });
      previous = copyMarkerFromSource(getSingleBlock(blocksRead), source);
    } else previous = plain?.last ?? previous;
    nodes.push(Object.keys(markup).length === 0 ? first : { ...first, markup }, ...others);
  }
  const key = groups.find(({ isTitle }) => isTitle)?.node.key;
  const data = getData(tree, { pending, isEmpty: nodes.length === 0 });
  return { object: 'document', data: key === undefined ? data : { ...data, title: { key } }, nodes };
}

function getData(tree: DocumentTree, { pending, isEmpty }: { pending: string; isEmpty: boolean }): TreeData {
  const usual = tree.nodes.length === 0 ? '' : '\n';
  const after = pending + (getTextAt(tree.data.markup, 'after') ?? usual);
  const lineEnd = getMarkup(tree.data, 'lineEnd');
  const markup = {
    ...(after === (isEmpty ? '' : '\n') ? {} : { after }),
    ...(lineEnd === undefined ? {} : { lineEnd }),
  };
  const frontmatter = getTextAt(tree.data, 'frontmatter');
  return {
    schemaVersion: PUBLISHED_VERSION,
    ...(frontmatter === undefined ? {} : { frontmatter }),
    ...(Object.keys(markup).length === 0 ? {} : { markup }),
  };
}

/** Renders blocks one after another; undefined if a block is empty. */
function renderPlainBlocks(
  blocks: Block[],
  before: Block | undefined,
): { text: string; last: Block | undefined } | undefined {
  let previous = before;
  const texts: string[] = [];
  for (const block of blocks) {
    const text = renderBlocks([block], previous);
    if (text === '') return undefined;
    texts.push(text);
    previous = copyMarkerFromSource(block, text);
  }
  return { text: texts.join('\n\n'), last: previous };
}

const toHash = (blocks: Block[]): string => hashText(blocks.map(hashContent).join('\n'));

/** Returns the only block, or one block of type `blocks` if several were published from a common source. */
const getSingleBlock = (blocks: Block[]): Block => {
  const [first, ...others] = blocks;
  return first !== undefined && others.length === 0
    ? first
    : { object: 'block', type: 'blocks', data: {}, nodes: blocks, isVoid: false };
};

/** Converts published blocks to the blocks of `parseTree`. For unchanged blocks, the stored text is used. */
export function restoreTexts(published: PublishedNode[], isKept: boolean): Block[] {
  const blocks: Block[] = [];
  let readCount = 0;
  for (let index = 0; index < published.length; ) {
    const [first = {}] = published.slice(index, index + 1);
    const count = Math.min(getCount(first.markup), published.length - index);
    readCount += count;
    const isLooked = isKept && readCount <= MAX_LOOKS * published.length;
    const { read, source } = getSource(published.slice(index, index + (isLooked ? count : 1)), isLooked);
    const before = isKept ? getTextAt(first.markup, 'before') : undefined;
    const [head, ...others] = source === undefined ? readPublishedNode(first) : [getSingleBlock(read)];
    const markup = { ...(source === undefined ? {} : { source }), ...(before === undefined ? {} : { before }) };
    if (head !== undefined)
      blocks.push(Object.keys(markup).length === 0 ? head : restorePreservedData(head, markup), ...others);
    index += source === undefined ? 1 : count;
  }
  return blocks;
}

/**
 * Maximum number of times that each block is read on average. Valid sources never overlap; the limit bounds the work
 * for invalid input.
 */
const MAX_LOOKS = 2;

/** Returns the stored source if the blocks are unchanged. */
function getSource(group: PublishedNode[], isKept: boolean): { read: Block[]; source?: string } {
  const source = isKept ? getTextAt(group[0]?.markup, 'source') : undefined;
  if (source === undefined) return { read: [] };
  const read = group.flatMap((block) => readPublishedNode(block));
  return toHash(read) === getTextAt(group[0]?.markup, 'hash') ? { read, source } : { read };
}

function restorePreservedData(block: Block, keptData: TreeData): Block {
  const { markup } = block.data;
  const ownMarkup = typeof markup === 'object' && markup !== null && !Array.isArray(markup) ? markup : {};
  const merged = { ...block, data: { ...block.data, markup: { ...ownMarkup, ...keptData } } };
  return 'source' in keptData ? { ...merged, key: hashContent(merged) } : merged;
}

const getCount = (markup: TreeData[string] | undefined): number => {
  const count = typeof markup === 'object' && markup !== null && !Array.isArray(markup) ? markup.blocks : 1;
  return typeof count === 'number' && Number.isInteger(count) && count > 1 ? count : 1;
};

/** Footnotes beyond this limit are copied unchanged. */
const MAX_NOTES = 1_000;

/** Returns the footnotes that no stored text contains. */
export function getNotes(published: PublishedNode[], blocksRead: Block[], data: TreeData): Block[] {
  const notes = new Map<string, PublishedNode[]>();
  const visit = (nodes: PublishedNode[]): void => {
    for (const node of nodes) {
      if (notes.size >= MAX_NOTES) return;
      const isNote = node.object === 'inline' && node.type === 'annotation' && node.fragments !== undefined;
      if (isNote) notes.set(getLabel(node), getFragment(node, 'annotation-body'));
      else for (const key of ['nodes', 'fragments']) visit(getNodes(node, key));
    }
  };
  visit(published);
  if (notes.size === 0) return [];
  const texts = [
    ...blocksRead.flatMap((block) => [getTextAt(block.data.markup, 'source'), getTextAt(block.data.markup, 'before')]),
    getTextAt(data.markup, 'after'),
  ];
  const knownTexts = new Set(
    [...texts.join('\n').matchAll(/^[ \t>]*\[\^([^\s[\]^]{1,100})\]:/gm)].map(([, label = '']) => label),
  );
  for (const block of blocksRead) if (block.type === 'footnote') knownTexts.add(getTextAt(block.data, 'label') ?? '');
  return [...notes].flatMap(([label, body]) => {
    return knownTexts.has(label) ? [] : [createBlock('footnote', { label }, body.flatMap(readPublishedNode))];
  });
}
