import { type Block, isBlock, isUnchanged, markupOf, type TreeData } from './document-tree.ts';

type RenderBlocks = (nodes: Block['nodes']) => string;

/**
 * A block in the form of the family in which it was written, with what it holds now; undefined where it was not, or says
 * something of itself that its first line does not.
 */
export function asForeign(node: Block, renderBlocks: RenderBlocks): string | undefined {
  const [open, close, prefix, of] = ['open', 'close', 'prefix', 'of'].map((key) => markupOf(node.data, key));
  if (typeof open !== 'string' || typeof of !== 'string') return undefined;
  if (JSON.stringify(own(node.data)) !== of) return undefined;
  if (open === '') return node.nodes.every(isIndentedTab) ? renderBlocks(node.nodes) : undefined;
  const [first, ...rest] = node.nodes;
  const isTitle = first !== undefined && isBlock(first) && markupOf(first.data, 'title') === true;
  if (isTitle && !isUnchanged(first)) return undefined;
  const inner = renderBlocks(isTitle ? rest : node.nodes);
  const lines = inner === '' ? [] : [typeof prefix === 'string' ? prefixed(prefix, inner) : inner];
  return [open, ...lines, ...(typeof close === 'string' ? [close] : [])].join('\n');
}

const isIndentedTab = (node: Block['nodes'][number]): boolean =>
  isBlock(node) &&
  String(markupOf(node.data, 'open')).startsWith('===') &&
  markupOf(node.data, 'of') === JSON.stringify(own(node.data));

const own = ({ markup: _, ...data }: TreeData): TreeData => data;

const prefixed = (prefix: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');
