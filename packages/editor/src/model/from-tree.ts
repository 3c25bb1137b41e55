import { type Block, type Inline, isBlock, renderBlocks, type TextNode, type TreeData } from '@octavo/markdown/editing';
import { Fragment, type Mark, type Node } from 'prosemirror-model';
import { schema } from './schema.ts';

/** Types of editor nodes by block type, for blocks that contain other blocks. */
const containers: Record<string, string> = {
  blockquote: 'blockquote',
  'list-unordered': 'list_unordered',
  'list-ordered': 'list_ordered',
  'list-tasks': 'list_tasks',
  'list-item': 'list_item',
  hint: 'hint',
  expandable: 'expandable',
  tabs: 'tabs',
  images: 'images',
  'tabs-item': 'tabs_item',
  stepper: 'stepper',
  'stepper-step': 'stepper_step',
  columns: 'columns',
  column: 'column',
};

/** Types whose only content is a caption. */
const captioned = new Set(['embed', 'file']);

const needsText = new Set(['blockquote', 'list-item', 'hint', 'expandable', 'tabs-item', 'stepper-step', 'column']);

const usualMarkers: Record<string, TreeData> = {
  'list-unordered': { bullet: '*' },
  'list-tasks': { bullet: '*' },
  'list-ordered': { delimiter: '.' },
};

/** Returns the data of a block. A title's data includes its key, so that the renderer detects an unchanged title. */
const getData = ({ data, key, type }: Block): TreeData => {
  const { markup, ...own } = data;
  const usual = usualMarkers[type];
  if (typeof markup !== 'object' || markup === null || Array.isArray(markup)) return own;
  const { before: _before, source: _source, ...written } = markup;
  // The parser does not store usual markers. A list without a stored marker gets the marker that the page uses most.
  const rest: TreeData = { ...usual, ...written };
  if (rest.title === true && key !== undefined) rest.key = key;
  return Object.keys(rest).length === 0 ? own : { ...own, markup: rest };
};

/** Creates an editor node that contains the Markdown of a block. */
export const createSource = (markdown: string, origin: number | null = null): Node =>
  schema.node('source', { origin }, markdown === '' ? [] : [schema.text(markdown)]);

/** Converts a block. A block that has no widget becomes a node with its Markdown. */
export function toNode(block: Block, origin: number | null = null): Node {
  const attrs = { data: getData(block), origin };
  const { type } = block;
  if (type === 'paragraph') return schema.node('paragraph', attrs, toInlines(block.nodes));
  if (/^heading-[1-6]$/.test(type))
    return schema.node('heading', { ...attrs, level: Number(type.slice(-1)) }, toInlines(block.nodes));
  if (type === 'divider') return schema.node('divider', attrs);
  if (type === 'code') return schema.node('code_block', attrs, toText(getCode(block)));
  if (type === 'math') return toMath(block, attrs);
  if (type === 'table') return toTable(block, attrs);
  if (captioned.has(type)) return toCaptioned(block, attrs);
  if (type === 'reusable-content') return schema.node('reusable_content', attrs);
  if (type === 'image') return schema.node('image', attrs);
  if (type === 'content-ref') return toReference(block, attrs);
  const container = containers[type];
  if (container === undefined) return createSource(renderBlocks([block]), origin);
  const nodes = block.nodes.filter(isBlock).map((each) => toNode(each));
  const filled = nodes.length === 0 && needsText.has(type) ? [schema.node('paragraph')] : nodes;
  return schema.node(container, attrs, filled);
}

function toCaptioned(block: Block, attrs: { data: TreeData; origin: number | null }): Node {
  const [caption, ...others] = block.nodes.filter(isBlock);
  if (others.length > 0 || (caption !== undefined && caption.type !== 'paragraph'))
    return createSource(renderBlocks([block]), attrs.origin);
  return schema.node(block.type, attrs, caption === undefined ? [schema.node('paragraph')] : [toNode(caption)]);
}

/** Converts a reference whose content is empty or a plain link to the same target. */
function toReference(block: Block, { data, origin }: { data: TreeData; origin: number | null }): Node {
  const caption = getLinkText(block);
  if (caption === undefined) return createSource(renderBlocks([block]), origin);
  return schema.node('content_ref', { data: caption === '' ? data : { ...data, caption }, origin });
}

function getLinkText({ data, nodes }: Block): string | undefined {
  const [paragraph, ...others] = nodes;
  if (paragraph === undefined) return '';
  const inlines = others.length === 0 && isBlock(paragraph) && paragraph.type === 'paragraph' ? paragraph.nodes : [];
  const [link] = inlines;
  if (inlines.length !== 1 || link?.object !== 'inline' || link.type !== 'link') return undefined;
  const [text, ...rest] = link.nodes;
  const leaf = rest.length === 0 && text?.object === 'text' && text.leaves.length === 1 ? text.leaves[0] : undefined;
  const isSameTarget = JSON.stringify(link.data) === JSON.stringify({ ref: data.ref });
  return isSameTarget && leaf?.marks.length === 0 ? leaf.text : undefined;
}

const toText = (text: string): Node[] => (text === '' ? [] : [schema.text(text)]);

const getCode = ({ nodes }: Block): string =>
  nodes
    .filter(isBlock)
    .map((line) => line.nodes.flatMap((each) => (each.object === 'text' ? each.leaves : [])))
    .map((leaves) => leaves.map(({ text }) => text).join(''))
    .join('\n');

function toMath({ data }: Block, { origin }: { origin: number | null }): Node {
  const { formula, ...rest } = data;
  const { before: _before, source: _source, ...markup } = (rest.markup ?? {}) as TreeData;
  const own = { ...rest, markup };
  return schema.node('math', { data: own, origin }, toText(typeof formula === 'string' ? formula : ''));
}

function toTable(table: Block, attrs: { data: TreeData; origin: number | null }): Node {
  const rows = table.nodes.filter(isBlock);
  const width = Math.max(1, ...rows.map(({ nodes }) => nodes.length));
  return schema.node(
    'table',
    attrs,
    rows.map((row, index) => {
      const cells = row.nodes.filter(isBlock);
      const type = index === 0 ? 'table_header' : 'table_cell';
      const filled = Array.from({ length: width }, (_, column) => {
        const cell = cells[column];
        return schema.node(type, { data: cell?.data ?? {} }, cell === undefined ? [] : toInlines(cell.nodes));
      });
      return schema.node('table_row', { data: row.data }, filled);
    }),
  );
}

/** Converts the inlines of a paragraph, a heading or a cell. */
function toInlines(nodes: Block['nodes'], marks: readonly Mark[] = []): Fragment {
  return Fragment.from(
    nodes.flatMap((node): Node[] => {
      if (node.object === 'block') throw new RangeError(`A block of type ${node.type} is in a text.`);
      return node.object === 'text' ? toTexts(node, marks) : toInline(node, marks);
    }),
  );
}

const toTexts = (node: TextNode, outer: readonly Mark[]): Node[] =>
  node.leaves.flatMap(({ text, marks }) => {
    const all = marks.reduce((set, { type, data }) => {
      const markType = schema.marks[type];
      if (markType === undefined) throw new RangeError(`The mark ${type} is not known.`);
      return markType.create(markType.spec.attrs === undefined ? null : { data: data ?? {} }).addToSet(set);
    }, outer);
    return text
      .split('\n')
      .flatMap((line, index) => [
        ...(index === 0 ? [] : [schema.node('soft_break', null, undefined, all)]),
        ...(line === '' ? [] : [schema.text(line, all)]),
      ]);
  });

function toInline(node: Inline, marks: readonly Mark[]): Node[] {
  if (node.type === 'hard-break') return [schema.node('hard_break', null, undefined, marks)];
  if (node.type === 'inline-image') return [schema.node('inline_image', { data: node.data }, undefined, marks)];
  if ((node.type !== 'link' && node.type !== 'button') || node.nodes.length === 0)
    return [schema.node('inline_leaf', { node }, undefined, marks)];
  const link = schema.mark(node.type, { data: node.data });
  const content: Node[] = [];
  toInlines(node.nodes, link.addToSet(marks)).forEach((each) => {
    content.push(each);
  });
  return content;
}
