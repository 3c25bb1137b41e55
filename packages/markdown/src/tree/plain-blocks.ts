import type { Block, TextNode } from './document-tree.ts';

/** What shows what stands in it, and asks for nothing that stands elsewhere in the space. */
const plain = new Set([
  ...['paragraph', 'heading-1', 'heading-2', 'heading-3', 'heading-4', 'heading-5', 'heading-6', 'divider'],
  ...['list-ordered', 'list-unordered', 'list-tasks', 'list-item', 'blockquote', 'code', 'code-line', 'math'],
  ...['hint', 'expandable', 'tabs', 'tabs-item', 'columns', 'column', 'stepper', 'stepper-step', 'embed'],
  ...['table', 'table-row', 'table-cell', 'images', 'image'],
]);
const plainInlines = new Set(['link', 'inline-math', 'inline-image', 'emoji', 'icon', 'button']);

type Nodes = Block['nodes'];

/** Whether a node of somebody else's is kept. */
export const isPlain = (node: Nodes[number]): node is Exclude<Nodes[number], TextNode> =>
  (node.object === 'block' && plain.has(node.type)) || (node.object === 'inline' && plainInlines.has(node.type));

const within = (nodes: Nodes): Nodes =>
  nodes.flatMap((node): Nodes => {
    if (node.object === 'text') return [node];
    return isPlain(node) ? [{ ...node, nodes: within(node.nodes) } as Nodes[number]] : [];
  });

/** Blocks of somebody else's: without those that include, ask, decide or run something. */
export const plainBlocks = (blocks: Block[]): Block[] =>
  within(blocks).filter((node): node is Block => node.object === 'block');
