import type { TreeData } from '@octavo/markdown/editing';
import { setBlockType, wrapIn } from 'prosemirror-commands';
import type { Node, NodeType } from 'prosemirror-model';
import { liftListItem, wrapInList } from 'prosemirror-schema-list';
import {
  type Command,
  type EditorState,
  NodeSelection,
  Selection,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import { findWrapping } from 'prosemirror-transform';
import { createSource } from '../model/from-tree.ts';
import { schema } from '../model/schema.ts';
import { chooseImages } from './images.ts';
import { openLinkForm } from './link-form.ts';
import { turnIntoReusableContent } from './reusable-content.ts';

export const { nodes, marks } = schema;

const createParagraph = (): Node => nodes.paragraph?.create() ?? schema.node('paragraph');
const build = (type: string, content: Node[], data: TreeData = {}): Node => schema.node(type, { data }, content);

/** Returns the offset in a new block at which the user writes first. The first row of cards is not shown. */
function findStart(node: Node): number {
  if (node.type.name === 'source') return node.nodeSize - 1;
  if ((node.attrs.data as TreeData).view === 'cards') return 1 + (node.firstChild?.nodeSize ?? 0);
  return node.isAtom ? node.nodeSize : 1;
}

/** Inserts a block: in place of an empty paragraph, otherwise after the current block. */
export const insertBlock =
  (create: () => Node): Command =>
  (state, dispatch) => {
    const { $from } = state.selection;
    const node = create();
    const depth = $from.depth === 0 ? 0 : $from.depth;
    const isEmpty = $from.parent.type.name === 'paragraph' && $from.parent.content.size === 0;
    const from = depth === 0 ? $from.pos : $from.before(depth);
    const end = depth === 0 ? $from.pos : $from.after(depth);
    const index = depth === 0 ? 0 : $from.index(depth - 1);
    const parent = $from.node(Math.max(0, depth - 1));
    if (depth > 0 && !parent.canReplaceWith(index + (isEmpty ? 0 : 1), index + 1, node.type)) return false;
    if (dispatch === undefined) return true;
    const tr = isEmpty ? state.tr.replaceWith(from, end, node) : state.tr.insert(end, node);
    const at = isEmpty ? from : end;
    if (tr.doc.resolve(at + node.nodeSize).nodeAfter === null && !node.isTextblock)
      tr.insert(at + node.nodeSize, createParagraph());
    const start = Selection.near(tr.doc.resolve(at + findStart(node)));
    // The next block must not be selected, because the next key could delete it.
    tr.setSelection(start instanceof NodeSelection ? NodeSelection.create(tr.doc, at) : start);
    dispatch(tr.scrollIntoView());
    return true;
  };

/** Places the cursor in a new paragraph at a position, or after the first container around it that may have one. */
export function startParagraph(tr: Transaction, position: number): Transaction {
  const node = createParagraph();
  let $end = tr.doc.resolve(position);
  while ($end.depth > 0 && !$end.parent.canReplaceWith($end.index(), $end.index(), node.type))
    $end = tr.doc.resolve($end.after());
  tr.insert($end.pos, node);
  return tr.setSelection(TextSelection.create(tr.doc, $end.pos + 1)).scrollIntoView();
}

/** Moves from a field of a node to the content of the node, or to the block below. Captions do not count as content. */
export function moveBelowField(tr: Transaction, position: number): Transaction {
  const $start = tr.doc.resolve(position);
  const node = $start.nodeAfter;
  if (node === null) return tr;
  const { name } = node.type;
  if (!node.isAtom && name !== 'embed' && name !== 'file')
    return tr.setSelection(Selection.near(tr.doc.resolve(position + 1))).scrollIntoView();
  const $end = tr.doc.resolve(node.isInline || name === 'image' ? $start.after() : position + node.nodeSize);
  const below = $end.nodeAfter === null ? undefined : Selection.near($end);
  // Typing must not replace a block below that has no text.
  return below === undefined || below instanceof NodeSelection
    ? startParagraph(tr, $end.pos)
    : tr.setSelection(below).scrollIntoView();
}

const createTable = (): Node => {
  const createRow = (type: string) =>
    build(
      'table_row',
      [0, 1, 2].map(() => schema.node(type)),
    );
  return build('table', [createRow('table_header'), createRow('table_cell'), createRow('table_cell')]);
};

/** Creates two cards: each has a title, a text, and a column with the page or the address that it links to. */
const createCards = (): Node => {
  const target = { attributes: { 'data-hidden': '', 'data-card-target': '', 'data-type': 'content-ref' } };
  const header = build(
    'table_row',
    [{}, {}, target].map((data) => schema.node('table_header', { data })),
  );
  const card = build(
    'table_row',
    [0, 1, 2].map(() => schema.node('table_cell')),
  );
  return build('table', [header, card, card], { view: 'cards' });
};

const getType = (name: string): NodeType => {
  const type = nodes[name as keyof typeof nodes];
  if (type === undefined) throw new RangeError(`There is no block ${name}.`);
  return type;
};

const isInList =
  (name: string): Command =>
  (state) => {
    const { $from } = state.selection;
    return $from.depth > 2 && $from.node($from.depth - 2).type.name === name;
  };

/** Turns paragraphs, or a list of another type, into a list of this type. Lifts items out of a list of this type. */
export const toggleList =
  (name: string): Command =>
  (state, dispatch, view) => {
    const { $from } = state.selection;
    const item = nodes.list_item;
    if (item !== undefined && isInList(name)(state)) return liftListItem(item)(state, dispatch, view);
    const isItem = $from.depth > 2 && $from.node($from.depth - 1).type === item;
    if (!isItem) {
      return wrapInList(getType(name))(
        state,
        dispatch && ((tr) => dispatch(setTasks(tr, tr.selection.$from.before(-2), name))),
      );
    }
    const at = $from.before($from.depth - 2);
    dispatch?.(setTasks(state.tr.setNodeMarkup(at, getType(name), { data: {} }), at, name));
    return true;
  };

/** Gives the items of a task list their check boxes, and removes those of other lists. */
function setTasks(tr: Transaction, at: number, name: string): Transaction {
  const list = tr.doc.nodeAt(at);
  list?.forEach((item, offset) => {
    const { checked, ...data } = item.attrs.data;
    const own = name === 'list_tasks' ? { ...data, checked: checked === true } : data;
    tr.setNodeMarkup(at + 1 + offset, undefined, { ...item.attrs, data: own });
  });
  return tr;
}

export const setParagraph: Command = setBlockType(getType('paragraph'));
export const setHeading = (level: number): Command => setBlockType(getType('heading'), { level });
export const wrapInQuote: Command = wrapIn(getType('blockquote'));

/** Wraps the current block, for example in a hint. */
const wrapInside =
  (name: string, data: Record<string, string> = {}): Command =>
  (state, dispatch) => {
    const { $from, $to } = state.selection;
    const range = $from.blockRange($to);
    const wrapping = range && findWrapping(range, getType(name), { data });
    if (!range || !wrapping) return false;
    dispatch?.(state.tr.wrap(range, wrapping).scrollIntoView());
    return true;
  };

/** A block that can be inserted. `words` are further search terms for it. */
export interface BlockChoice {
  label: string;
  words: string;
  run: Command;
}

const createHeading = (text: string): Node =>
  schema.node('heading', { level: 3 }, text === '' ? [] : [schema.text(text)]);
export const createPart = (type: string, data = {}): Node => build(type, [createParagraph()], data);
export const createStep = (): Node => build('stepper_step', [createHeading(''), createParagraph()]);
/** Inserts a block with an address, and moves the focus to the field for it. */
const insertWithAddress =
  (type: string, content: Node[]): Command =>
  (state, dispatch, view) => {
    const node = build(type, content, { ref: { kind: 'url', url: '' } });
    if (!insertBlock(() => node)(state, dispatch)) return false;
    view?.state.doc.descendants((each, position) => {
      const dom = each === node ? view.nodeDOM(position) : null;
      if (dom instanceof Element) dom.querySelector<HTMLElement>('input, select')?.focus();
      if (dom instanceof Element) dom.querySelector<HTMLElement>('.editor-target')?.click();
      return !each.isTextblock;
    });
    return true;
  };
/** Asks for the target of a new button. */
const insertButton: Command = ({ selection: { $from } }, dispatch, view) => {
  if (!$from.parent.inlineContent || $from.parent.type.spec.code === true) return false;
  if (dispatch !== undefined && view !== undefined) openLinkForm(view, 'primary');
  return true;
};
const insertSource = (markdown: string): Command => insertBlock(() => createSource(markdown));

const textChoices: BlockChoice[] = [
  { label: 'Text', words: 'paragraph', run: setParagraph },
  ...[1, 2, 3, 4].map((level) => ({ label: `Heading ${level}`, words: `h${level} title`, run: setHeading(level) })),
];

/** The blocks that can be inserted, except for texts and headings. */
export const insertedChoices: BlockChoice[] = [
  { label: 'Bulleted list', words: 'ul unordered', run: toggleList('list_unordered') },
  { label: 'Numbered list', words: 'ol ordered', run: toggleList('list_ordered') },
  { label: 'Task list', words: 'to do todo checklist checkbox', run: toggleList('list_tasks') },
  { label: 'Quote', words: 'blockquote', run: wrapInQuote },
  { label: 'Code', words: 'block fence', run: setBlockType(getType('code_block')) },
  {
    label: 'Diagram',
    words: 'mermaid chart',
    run: setBlockType(getType('code_block'), { data: { syntax: 'mermaid' } }),
  },
  { label: 'Image', words: 'picture photo screenshot upload', run: chooseImages },
  { label: 'Table', words: 'grid', run: insertBlock(createTable) },
  ...['info', 'success', 'warning', 'danger'].map((style) => ({
    label: `${style.charAt(0).toUpperCase()}${style.slice(1)} hint`,
    words: 'hint callout note admonition',
    run: wrapInside('hint', { style }),
  })),
  { label: 'Expandable', words: 'details toggle', run: wrapInside('expandable', { title: 'Details' }) },
  {
    label: 'Tabs',
    words: 'panels',
    run: insertBlock(() =>
      build(
        'tabs',
        ['First tab', 'Second tab'].map((title) => createPart('tabs_item', { title })),
      ),
    ),
  },
  { label: 'Steps', words: 'stepper', run: insertBlock(() => build('stepper', [createStep(), createStep()])) },
  {
    label: 'Columns',
    words: 'layout',
    run: insertBlock(() => build('columns', [createPart('column'), createPart('column')])),
  },
  { label: 'Math', words: 'formula tex', run: insertBlock(() => schema.node('math')) },
  { label: 'Divider', words: 'line rule hr', run: insertBlock(() => schema.node('divider')) },
  { label: 'Embed', words: 'video youtube', run: insertWithAddress('embed', [createParagraph()]) },
  { label: 'File', words: 'attachment upload download', run: insertWithAddress('file', [createParagraph()]) },
  { label: 'Page link', words: 'reference content ref', run: insertWithAddress('content_ref', []) },
  { label: 'Button', words: 'link call to action', run: insertButton },
  { label: 'Reusable content', words: 'include snippet', run: insertWithAddress('reusable_content', []) },
  { label: 'Turn into reusable content', words: 'include snippet selection', run: turnIntoReusableContent },
  { label: 'Cards', words: 'links grid', run: insertBlock(createCards) },
  { label: 'Markdown', words: 'source html', run: insertSource('') },
];

export const blockChoices: BlockChoice[] = [...textChoices, ...insertedChoices];

/** Returns the blocks that can be inserted at the cursor. In a paragraph, these include a paragraph. */
export const findPossibleBlocks = (state: EditorState): BlockChoice[] =>
  blockChoices.filter(
    ({ run }) => run(state) || (run === setParagraph && state.selection.$from.parent.type === nodes.paragraph),
  );

/** Returns the choices whose names contain the query at the start of a word. */
export function findChoices<Choice extends { label: string; words: string }>(
  choices: Choice[],
  query: string,
): Choice[] {
  const normalize = (text: string): string => ` ${text}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  const prefix = normalize(query.trim());
  return choices.filter(({ label, words }) => normalize(`${label} ${words}`).includes(prefix));
}

/** Returns a selection at positions that are moved by an offset. */
function shiftSelection(selection: Selection, doc: Node, offset: number): Selection {
  const shifted = Object.entries(selection.toJSON()).map(([key, value]) => [
    key,
    typeof value === 'number' ? value + offset : value,
  ]);
  return Selection.fromJSON(doc, Object.fromEntries(shifted));
}

/** Moves the selected top-level blocks up or down. */
export const moveBlock =
  (direction: -1 | 1): Command =>
  ({ selection, doc, tr }, dispatch) => {
    const [first, last] = [selection.$from.index(0), selection.$to.indexAfter(0) - 1];
    const blocks = doc.children.slice(first, last + 1);
    const other = doc.children[direction === 1 ? last + 1 : first - 1];
    if (blocks.length === 0 || other === undefined) return false;
    const moved = direction === 1 ? [other, ...blocks] : [...blocks, other];
    const measure = (nodes: readonly Node[]): number => nodes.reduce((sum, { nodeSize }) => sum + nodeSize, 0);
    const start = measure(doc.children.slice(0, direction === 1 ? first : first - 1));
    tr.replaceWith(start, start + measure(moved), moved);
    dispatch?.(tr.setSelection(shiftSelection(selection, tr.doc, direction * other.nodeSize)).scrollIntoView());
    return true;
  };
