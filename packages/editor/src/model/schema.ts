import type { TreeData } from '@octavo/markdown/editing';
import { type DOMOutputSpec, type Node, type NodeSpec, Schema } from 'prosemirror-model';

/** Attributes of all blocks: the data of the block in the document tree, and the source block that it comes from. */
const attrs = { data: { default: {} as TreeData }, origin: { default: null as number | null } };

const HOLE = 0;

const createContainer = (name: string, content: string, more: NodeSpec = {}): NodeSpec => ({
  attrs,
  content,
  group: 'block',
  defining: true,
  toDOM: () => ['div', { 'data-block': name }, HOLE],
  ...more,
});

const getString = (node: Node, key: string): string => {
  const value = (node.attrs.data as TreeData)[key];
  return typeof value === 'string' ? value : '';
};

const createCell = (tag: 'td' | 'th', role: string): NodeSpec => ({
  attrs: { ...attrs, colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null } },
  content: 'inline*',
  tableRole: role,
  isolating: true,
  toDOM: () => [tag, HOLE],
});

/** A block whose text has no formats. */
const code: NodeSpec = { attrs, content: 'text*', marks: '', group: 'block', code: true, defining: true };

const blocks: Record<string, NodeSpec> = {
  // `heading` is a first heading that is not shown because it repeats the title. Undo restores it like the shown blocks.
  doc: { content: 'block+', attrs: { heading: { default: null } } },
  paragraph: { attrs, content: 'inline*', group: 'block', toDOM: () => ['p', HOLE] },
  heading: {
    attrs: { ...attrs, level: { default: 1 } },
    content: '(text | inline_leaf | inline_image)*',
    group: 'block',
    defining: true,
    toDOM: (node): DOMOutputSpec => [`h${node.attrs.level}`, HOLE],
  },
  divider: { attrs, group: 'block', toDOM: () => ['hr'] },
  blockquote: createContainer('blockquote', 'block+', { toDOM: () => ['blockquote', HOLE] }),
  list_unordered: createContainer('list', 'list_item+', { toDOM: () => ['ul', HOLE] }),
  list_tasks: createContainer('list', 'list_item+', { toDOM: () => ['ul', { 'data-tasks': '' }, HOLE] }),
  list_ordered: createContainer('list', 'list_item+', {
    toDOM: (node) => ['ol', { start: String((node.attrs.data as TreeData).start ?? 1) }, HOLE],
  }),
  list_item: {
    attrs,
    content: 'block+',
    defining: true,
    toDOM: () => ['li', HOLE],
  },
  code_block: {
    ...code,
    toDOM: (node) => ['pre', { 'data-language': getString(node, 'syntax') }, ['code', HOLE]],
  },
  math: { ...code, toDOM: () => ['pre', { 'data-block': 'math' }, ['code', HOLE]] },
  /** A block that is edited as its Markdown. */
  source: { ...code, toDOM: () => ['pre', { 'data-block': 'source' }, ['code', HOLE]] },
  table: {
    attrs,
    content: 'table_row+',
    group: 'block',
    tableRole: 'table',
    isolating: true,
    allowGapCursor: false,
    toDOM: (node) => ['table', { 'data-view': getString(node, 'view') || null }, ['tbody', HOLE]],
  },
  table_row: {
    attrs,
    content: '(table_cell | table_header)*',
    tableRole: 'row',
    allowGapCursor: false,
    toDOM: () => ['tr', HOLE],
  },
  table_cell: createCell('td', 'cell'),
  table_header: createCell('th', 'header_cell'),
  hint: createContainer('hint', 'block+', {
    toDOM: (node) => ['div', { 'data-block': 'hint', 'data-style': getString(node, 'style') || 'info' }, HOLE],
  }),
  expandable: createContainer('expandable', 'block+'),
  /** The paragraph is the caption. */
  embed: createContainer('embed', 'paragraph'),
  file: createContainer('file', 'paragraph'),
  reusable_content: { attrs, group: 'block', toDOM: () => ['div', { 'data-block': 'reusable-content' }] },
  /** A link to a page as a block. `caption` in its data is the text of the link in its content. */
  content_ref: { attrs, group: 'block', toDOM: () => ['div', { 'data-block': 'content-ref' }] },
  images: createContainer('images', 'image+'),
  image: { attrs, toDOM: () => ['div', { 'data-block': 'image' }] },
  tabs: createContainer('tabs', 'tabs_item+'),
  tabs_item: createContainer('tab', 'block+', { group: '' }),
  stepper: createContainer('stepper', 'stepper_step+'),
  stepper_step: createContainer('step', 'block+', { group: '' }),
  columns: createContainer('columns', 'column+'),
  column: createContainer('column', 'block+', { group: '' }),
};

const inlines: Record<string, NodeSpec> = {
  text: { group: 'inline' },
  hard_break: { group: 'inline', inline: true, selectable: false, toDOM: () => ['br'] },
  /** A line break in the source, which is displayed as a space. */
  soft_break: {
    group: 'inline',
    inline: true,
    selectable: false,
    leafText: () => '\n',
    toDOM: () => ['span', { 'data-inline': 'soft-break' }, ' '],
  },
  inline_image: {
    attrs: { data: { default: {} as TreeData } },
    group: 'inline',
    inline: true,
    draggable: true,
    toDOM: () => ['span', { 'data-inline': 'image' }],
  },
  /** Any other inline, such as an emoji, a mention or an expression. `node` is its part of the document tree. */
  inline_leaf: {
    attrs: { node: {} },
    group: 'inline',
    inline: true,
    toDOM: () => ['span', { 'data-inline': 'leaf' }],
  },
};

export const schema = new Schema({
  nodes: { ...blocks, ...inlines },
  marks: {
    link: {
      attrs: { data: {} },
      excludes: 'link button',
      inclusive: false,
      toDOM: () => ['a', { class: 'link' }, HOLE],
    },
    button: {
      attrs: { data: {} },
      excludes: 'link button',
      inclusive: false,
      toDOM: ({ attrs }) => ['a', { class: 'button', 'data-kind': (attrs.data as TreeData).kind }, HOLE],
    },
    bold: { toDOM: () => ['strong', HOLE] },
    italic: { toDOM: () => ['em', HOLE] },
    strikethrough: { toDOM: () => ['s', HOLE] },
    keyboard: { toDOM: () => ['kbd', HOLE] },
    superscript: { excludes: 'subscript', toDOM: () => ['sup', HOLE] },
    subscript: { excludes: 'superscript', toDOM: () => ['sub', HOLE] },
    color: { attrs: { data: {} }, toDOM: () => ['mark', HOLE] },
    code: { code: true, toDOM: () => ['code', HOLE] },
  },
});
