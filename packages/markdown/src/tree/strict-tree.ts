import type { Json } from '@octavo/expression';
import { mayBeConditional } from './conditions.ts';
import { type Block, type Inline, isBlock, type Leaf, type TextNode, type TreeData } from './document-tree.ts';
import { withoutExpressions } from './variables.ts';

const EXPRESSION = /<code class="expression">[^<]*<\/code>/g;
/** What tells how a block was written by that text itself. */
const TELLING = new Set(['source', 'before', 'open', 'close', 'of', 'prefix', 'suffix', 'text']);
/** Code is shown as it is written. */
const CODE = new Set(['code', 'code-line', 'math', 'inline-math']);

/** Whether a text may hold conditions, expressions or includes: else evaluating it changes nothing. */
export const mayBeEvaluated = (markdown: string): boolean => /\{[{%]|class="expression"/.test(markdown);

/** Whether conditions are left in evaluated blocks that could not be read as such. */
export const hasUnread = (nodes: Block['nodes']): boolean =>
  nodes.some((node) => isUnread(node) || (node.object !== 'text' && hasUnread(node.nodes)));

/**
 * Evaluated blocks as they are shown to whoever may not see sources: they end where a condition begins that cannot be
 * read, and hold no expressions and no text that only tells how they were written.
 */
export const strictBlocks = (blocks: Block[]): Block[] => new Strict().nodes(blocks).filter(isBlock);

class Strict {
  #isCut = false;

  nodes(nodes: Block['nodes']): Block['nodes'] {
    const kept: Block['nodes'] = [];
    for (const node of nodes) {
      this.#isCut ||= isUnread(node);
      if (this.#isCut) break;
      if (node.object !== 'text' && node.type === 'markdown') continue;
      kept.push(this.#node(node));
    }
    return kept;
  }

  #node(node: Block['nodes'][number]): Block['nodes'][number] {
    if (node.object === 'text') return { ...node, leaves: node.leaves.map(plainLeaf) };
    if (CODE.has(node.type)) return { ...node, data: withoutMarkup(node.data) };
    return { ...node, data: plainData(node.data), nodes: this.nodes(node.nodes) } as Block | Inline;
  }
}

const isCode = ({ marks }: Leaf): boolean => marks.some(({ type }) => type === 'code');

function isUnread(node: Block | Inline | TextNode): boolean {
  if (node.object === 'text')
    return mayBeConditional(node.leaves.map((leaf) => (isCode(leaf) ? '' : leaf.text)).join(''));
  return !CODE.has(node.type) && node.type !== 'markdown' && holdsTag(withoutMarkup(node.data));
}

function holdsTag(value: Json): boolean {
  if (typeof value === 'string') return mayBeConditional(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsTag);
}

const shownOf = (text: string): string => withoutExpressions(text.replace(EXPRESSION, ''));

const plainLeaf = (leaf: Leaf): Leaf => (isCode(leaf) ? leaf : { ...leaf, text: shownOf(leaf.text) });

const plainData = (data: TreeData): TreeData => plainValue(withoutMarkup(data)) as TreeData;

function plainValue(value: Json): Json {
  if (typeof value === 'string') return shownOf(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]));
}

/** What is kept of how a block was written says nothing of its content, or of what its own form leads to. */
function withoutMarkup({ markup, ...data }: TreeData): TreeData {
  if (typeof markup !== 'object' || markup === null || Array.isArray(markup)) return data;
  const kept = Object.fromEntries(Object.entries(markup).filter(([key]) => !TELLING.has(key)));
  return Object.keys(kept).length === 0 ? data : { ...data, markup: kept };
}
