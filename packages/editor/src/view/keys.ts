import {
  baseKeymap,
  chainCommands,
  createParagraphNear,
  exitCode,
  liftEmptyBlock,
  newlineInCode,
  selectParentNode,
  splitBlock,
  toggleMark,
} from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import {
  InputRule,
  inputRules,
  textblockTypeInputRule,
  undoInputRule,
  wrappingInputRule,
} from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list';
import { type Command, type Plugin, Selection } from 'prosemirror-state';
import { goToNextCell } from 'prosemirror-tables';
import { schema } from '../model/schema.ts';
import { moveBlock, setHeading, setParagraph, startParagraph, toggleList, wrapInQuote } from './commands.ts';
import { addNextPart, leavePart } from './parts.ts';
import { leaveSelectedNode, selectedBlocks } from './selected-blocks.ts';

const { nodes, marks } = schema;

/** Returns a type of the schema. @throws RangeError if the schema lacks it */
function requireType<Type>(type: Type | undefined): Type {
  if (type === undefined) throw new RangeError('The schema lacks a type.');
  return type;
}

const item = requireType(nodes.list_item);
const code = requireType(nodes.code_block);

/** A new item of a task list has a check box. */
const splitItem: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const isTask = $from.depth > 2 && $from.node(-1).attrs.data?.checked !== undefined;
  return splitListItem(item, isTask ? { data: { checked: false } } : { data: {} })(state, dispatch);
};

/** Starts a code block at a line with three backticks and the name of a language. */
const startCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const { parent, parentOffset } = $from;
  const found = /^```([\w+#-]*)$/.exec(parent.textContent);
  if (!empty || found === null || parent.type !== nodes.paragraph || parentOffset !== parent.content.size) return false;
  const [start, end] = [$from.start(), $from.end()];
  if (!$from.node(-1).canReplaceWith($from.index(-1), $from.indexAfter(-1), code)) return false;
  const syntax = found[1] ?? '';
  const attributes = { data: syntax === '' ? {} : { syntax } };
  dispatch?.(state.tr.delete(start, end).setBlockType(start, start, code, attributes).scrollIntoView());
  return true;
};

/** Moves from the end of a code block, a formula or Markdown that ends its container to a new paragraph below it. */
const leaveCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const isAtEnd = empty && $from.parent.type.spec.code === true && $from.parentOffset === $from.parent.content.size;
  return isAtEnd && $from.indexAfter(-1) === $from.node(-1).childCount && exitCode(state, dispatch);
};

const insertBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(requireType(nodes.hard_break).create()).scrollIntoView());
  return true;
};

/** Moves to the cell below, or from the last row of a table to the text after it, which can be a new paragraph. */
const leaveTable: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const depth = Array.from({ length: $from.depth }, (_, index) => index + 1).find(
    (each) => $from.node(each).type === nodes.table,
  );
  if (depth === undefined) return false;
  const isLast = $from.index(depth) === $from.node(depth).childCount - 1;
  if (!isLast) return createRowMove($from.after(depth + 1), $from.index(depth + 1))(state, dispatch);
  const end = $from.after(depth);
  const tr = state.doc.resolve(end).nodeAfter === null ? state.tr.insert(end, schema.node('paragraph')) : state.tr;
  dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(end + 1))).scrollIntoView());
  return true;
};

/** Moves below a cell when the user presses the down arrow in its last line. In a card, the next cell is below it. */
const goBelowCell: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection;
  if (!empty || view?.endOfTextblock('down') === false) return false;
  const isCard = $from.depth > 2 && $from.node(-2).attrs.data?.view === 'cards';
  const next = isCard ? Selection.findFrom(state.doc.resolve($from.after()), 1) : null;
  if (next === null) return leaveTable(state, dispatch);
  dispatch?.(state.tr.setSelection(next).scrollIntoView());
  return true;
};

/** Moves from the caption of an embed or a file, which has one paragraph, to a new paragraph below. */
const leaveCaption: Command = ({ selection: { $from }, tr }, dispatch) => {
  if ($from.depth < 2 || !['embed', 'file'].includes($from.node(-1).type.name)) return false;
  dispatch?.(startParagraph(tr, $from.after()));
  return true;
};

/** Creates a command that moves the cursor to a column of the table row at the position `row`. */
const createRowMove =
  (row: number, column: number): Command =>
  (state, dispatch) => {
    let position = row + 1;
    const node = state.doc.nodeAt(row);
    for (let each = 0; each < column; each += 1) position += node?.child(each).nodeSize ?? 0;
    dispatch?.(state.tr.setSelection(Selection.near(state.doc.resolve(position + 1))).scrollIntoView());
    return true;
  };

/** Moves the cursor to the start or the end of the text. Chromium stops at blocks with fields. */
const goToEnd =
  (end: 'atStart' | 'atEnd'): Command =>
  (state, dispatch) => {
    dispatch?.(state.tr.setSelection(Selection[end](state.doc)).scrollIntoView());
    return true;
  };

const keys: Record<string, Command> = {
  'Ctrl-Home': goToEnd('atStart'),
  'Ctrl-End': goToEnd('atEnd'),
  'Mod-z': chainCommands(undoInputRule, undo),
  'Mod-y': redo,
  'Mod-Shift-z': redo,
  Backspace: undoInputRule,
  'Mod-b': toggleMark(requireType(marks.bold)),
  'Mod-i': toggleMark(requireType(marks.italic)),
  'Mod-Shift-x': toggleMark(requireType(marks.strikethrough)),
  'Mod-e': toggleMark(requireType(marks.code)),
  'Mod-Alt-0': setParagraph,
  'Mod-Alt-1': setHeading(1),
  'Mod-Alt-2': setHeading(2),
  'Mod-Alt-3': setHeading(3),
  'Mod-Shift-7': toggleList('list_ordered'),
  'Mod-Shift-8': toggleList('list_unordered'),
  'Mod-Shift-9': toggleList('list_tasks'),
  'Mod-Shift-.': wrapInQuote,
  'Alt-ArrowUp': moveBlock(-1),
  'Alt-ArrowDown': moveBlock(1),
  Escape: selectParentNode,
  ArrowDown: chainCommands(leaveCode, goBelowCell),
  Enter: chainCommands(
    leaveSelectedNode,
    newlineInCode,
    startCode,
    leaveTable,
    leaveCaption,
    splitItem,
    leavePart,
    createParagraphNear,
    liftEmptyBlock,
    splitBlock,
  ),
  'Mod-Enter': chainCommands(exitCode, addNextPart),
  'Shift-Enter': chainCommands(newlineInCode, insertBreak),
  Tab: chainCommands(goToNextCell(1), sinkListItem(item)),
  'Shift-Tab': chainCommands(goToNextCell(-1), liftListItem(item)),
};

/** Creates a rule that replaces typed syntax, such as `**text**`, by the text with a mark. */
const createMarkRule = (pattern: RegExp, name: 'bold' | 'italic' | 'strikethrough' | 'code'): InputRule =>
  new InputRule(pattern, (state, match, start, end) => {
    const [, before = '', text = ''] = match;
    const { $from } = state.selection;
    const mark = requireType(marks[name]);
    if (text === '' || !$from.parent.type.allowsMarkType(mark)) return null;
    const tr = state.tr.replaceWith(
      start + before.length,
      end,
      schema.text(text, mark.create().addToSet($from.marks())),
    );
    return tr.removeStoredMark(mark);
  });

const taskRule = new InputRule(/^\[([ x]?)\] $/, (state, match, start, end) => {
  const { $from } = state.selection;
  if ($from.depth < 3 || $from.node(-1).type !== item || $from.index(-1) !== 0) return null;
  const list = $from.node(-2);
  const at = $from.before(-2);
  const tr = state.tr.delete(start, end);
  if (list.type === nodes.list_unordered) tr.setNodeMarkup(at, requireType(nodes.list_tasks), list.attrs);
  list.forEach((child, offset) => {
    const checked = child === $from.node(-1) ? match[1] === 'x' : child.attrs.data.checked === true;
    tr.setNodeMarkup(at + 1 + offset, undefined, { ...child.attrs, data: { ...child.attrs.data, checked } });
  });
  return tr;
});

const dividerRule = new InputRule(/^(?:---|\*\*\*)$/, (state, _match, start) => {
  const { $from } = state.selection;
  if ($from.parent.type !== nodes.paragraph || $from.parentOffset !== $from.parent.content.size) return null;
  const before = state.doc.resolve(start).before();
  const tr = state.tr.replaceWith(before, before + $from.parent.nodeSize, [
    schema.node('divider'),
    schema.node('paragraph'),
  ]);
  return tr.setSelection(Selection.near(tr.doc.resolve(before + 2)));
});

const rules = [
  textblockTypeInputRule(/^(#{1,6})\s$/, requireType(nodes.heading), ([, signs = '#']) => ({ level: signs.length })),
  wrappingInputRule(/^\s*>\s$/, requireType(nodes.blockquote)),
  wrappingInputRule(/^\s*([-+*])\s$/, requireType(nodes.list_unordered)),
  wrappingInputRule(/^(\d{1,9})[.)]\s$/, requireType(nodes.list_ordered), ([, start]) => ({
    data: Number(start) === 1 ? {} : { start: Number(start) },
  })),
  taskRule,
  dividerRule,
  textblockTypeInputRule(/^```([\w+#-]*)\s$/, code, ([, syntax = '']) => ({ data: syntax === '' ? {} : { syntax } })),
  createMarkRule(/(^|[^*])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, 'bold'),
  createMarkRule(/(^|[^*])\*([^*\s](?:[^*]*[^*\s])?)\*$/, 'italic'),
  createMarkRule(/(^|[^\w_])_([^_\s](?:[^_]*[^_\s])?)_$/, 'italic'),
  createMarkRule(/(^|[^~])~~([^~\s](?:[^~]*[^~\s])?)~~$/, 'strikethrough'),
  createMarkRule(/(^|[^`])`([^`]+)`$/, 'code'),
];

export const keyPlugins: Plugin[] = [selectedBlocks, inputRules({ rules }), keymap(keys), keymap(baseKeymap)];
