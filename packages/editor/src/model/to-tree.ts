import { type Block, createBlock, type Inline, type TextNode, type TreeData } from '@octavo/markdown/editing';
import type { Mark, Node } from 'prosemirror-model';
import type { WritingStyle } from './style.ts';

type Leaf = TextNode['leaves'][number];
type Inlines = (Inline | TextNode)[];

const getChildren = (node: Node): Node[] => {
  const children: Node[] = [];
  node.forEach((child) => {
    children.push(child);
  });
  return children;
};

/** Converts a node of the editor. The style of the page is used only for data that the node does not have. */
export function toBlock(node: Node, style: WritingStyle): Block {
  const block = convert(node, style);
  const { key, ...markup } = (block.data.markup ?? {}) as TreeData;
  if (typeof key !== 'string') return block;
  return { ...block, key, data: { ...block.data, markup } };
}

function convert(node: Node, style: WritingStyle): Block {
  const data = { ...(node.attrs.data as TreeData) };
  const { name } = node.type;
  if (name === 'paragraph') return createBlock('paragraph', data, toInlines(node, style));
  if (name === 'heading') return createBlock(`heading-${node.attrs.level}`, data, toInlines(node, style));
  if (name === 'code_block') return createBlock('code', data, toCodeLines(node.textContent));
  if (name === 'math') return createBlock('math', { ...data, formula: node.textContent });
  if (name === 'source') return createBlock('markdown', { markdown: node.textContent });
  if (name === 'table') return toTable(node, data, style);
  if (name === 'content_ref') return toReference(data);
  if (node.isLeaf) return createBlock(name.replaceAll('_', '-'), data);
  if (name === 'embed' || name === 'file') {
    const caption = toCaption(node, style);
    return { ...createBlock(name, data, caption), isVoid: caption.length === 0 };
  }
  if (name.startsWith('list_') && name !== 'list_item') addMarker(name, data, style);
  const blocks = getChildren(node).map((child) => toBlock(child, style));
  return { ...createBlock(name.replaceAll('_', '-'), data, blocks), isVoid: false };
}

function toReference({ caption, ...data }: TreeData): Block {
  const text: Inlines = [{ object: 'text', leaves: [toLeaf(typeof caption === 'string' ? caption : '')] }];
  const link: Inline = { object: 'inline', type: 'link', data: { ref: data.ref ?? null }, nodes: text, isVoid: false };
  const content = caption === undefined ? [] : [createBlock('paragraph', {}, [link])];
  return { ...createBlock('content-ref', data, content), isVoid: false };
}

/** An empty caption is not written. */
const toCaption = (node: Node, style: WritingStyle): Block[] =>
  node.textContent === '' && node.firstChild?.childCount === 0
    ? []
    : getChildren(node).map((child) => toBlock(child, style));

function addMarker(name: string, data: TreeData, style: WritingStyle): void {
  const [key, sign] = name === 'list_ordered' ? ['delimiter', style.delimiter] : ['bullet', style.bullet];
  const markup = (data.markup ?? {}) as TreeData;
  if (markup[key] === undefined) data.markup = { ...markup, [key]: sign };
}

const toCodeLines = (text: string): Block[] =>
  text === ''
    ? []
    : text
        .split('\n')
        .map((line) => createBlock('code-line', {}, line === '' ? [] : [{ object: 'text', leaves: [toLeaf(line)] }]));

const toLeaf = (text: string, marks: Leaf['marks'] = []): Leaf => ({ object: 'leaf', text, marks });

function toTable(table: Node, data: TreeData, style: WritingStyle): Block {
  const rows = getChildren(table).map((row, index) => {
    const cells = getChildren(row).map((cell) =>
      createBlock('table-cell', cell.attrs.data as TreeData, toInlines(cell, style)),
    );
    return createBlock('table-row', index === 0 ? { header: true } : {}, cells);
  });
  return createBlock('table', data, rows);
}

function toInlines(parent: Node, style: WritingStyle): Inlines {
  const result: Inlines = [];
  let open: { mark: Mark; nodes: Inlines } | undefined;
  parent.forEach((node) => {
    const link = node.marks.find(isLink);
    if (link === undefined) open = undefined;
    else if (open === undefined || !open.mark.eq(link)) {
      open = { mark: link, nodes: [] };
      result.push({ object: 'inline', type: link.type.name, data: link.attrs.data, nodes: open.nodes, isVoid: false });
    }
    addInline(open?.nodes ?? result, node, style);
  });
  return result;
}

/** Whether a mark is an inline in the document tree. */
const isLink = ({ type }: Mark): boolean => type.name === 'link' || type.name === 'button';

function addInline(nodes: Inlines, node: Node, style: WritingStyle): void {
  const { name } = node.type;
  if (name === 'inline_leaf') nodes.push(node.attrs.node as Inline);
  else if (name === 'inline_image') nodes.push(createInline('inline-image', node.attrs.data as TreeData));
  else if (name === 'hard_break') nodes.push(createInline('hard-break', {}));
  else addLeaf(nodes, toLeaf(name === 'soft_break' ? '\n' : (node.text ?? ''), toMarks(node, style)));
}

const createInline = (type: string, data: TreeData): Inline => ({
  object: 'inline',
  type,
  data,
  nodes: [],
  isVoid: true,
});

const toMarks = ({ marks }: Node, style: WritingStyle): Leaf['marks'] =>
  marks
    .filter((mark) => !isLink(mark))
    .map(({ type: { name }, attrs }) => ({
      object: 'mark',
      type: name,
      ...(attrs.data && { data: attrs.data as TreeData }),
      ...(name === 'italic' && { data: { markup: { sign: style.italic } } }),
      ...(name === 'bold' && { data: { markup: { sign: style.bold } } }),
    }));

function addLeaf(nodes: Inlines, leaf: Leaf): void {
  const last = nodes.at(-1);
  const before = last?.object === 'text' ? last.leaves.at(-1) : undefined;
  if (last?.object !== 'text') nodes.push({ object: 'text', leaves: [leaf] });
  else if (before !== undefined && JSON.stringify(before.marks) === JSON.stringify(leaf.marks))
    before.text += leaf.text;
  else last.leaves.push(leaf);
}
