import { splitBlock } from 'prosemirror-commands';
import type { Node } from 'prosemirror-model';
import { type Command, Selection, TextSelection, type Transaction } from 'prosemirror-state';
import { createPart, createStep, startParagraph } from './commands.ts';

const partTypes = new Set(['tabs_item', 'stepper_step', 'column']);

const isEmptyParagraph = (node: Node | null): boolean => node?.type.name === 'paragraph' && node.content.size === 0;

/**
 * Moves from the empty end of a tab, step or column to an empty paragraph below the whole block. In the middle of a
 * part, Enter adds a paragraph, because lifting the empty paragraph would split the block.
 */
export const leavePart: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.depth < 3 || !partTypes.has($from.node(-1).type.name) || $from.parent.content.size > 0)
    return false;
  const part = $from.node(-1);
  if ($from.parent.type.name !== 'paragraph') return splitBlock(state, dispatch);
  const index = $from.index(-1);
  if (!part.children.slice(index + 1).every(isEmptyParagraph)) return splitBlock(state, dispatch);
  const { tr } = state;
  tr.delete(index === 0 ? $from.after() : $from.before(), $from.end(-1));
  const end = tr.mapping.map($from.after(-2));
  if (isEmptyParagraph(tr.doc.nodeAt(end))) tr.setSelection(TextSelection.create(tr.doc, end + 1)).scrollIntoView();
  else startParagraph(tr, end);
  dispatch?.(tr);
  return true;
};

function createNextPart({ type, childCount }: Node): Node | undefined {
  if (type.name === 'tabs') return createPart('tabs_item', { title: `Tab ${childCount + 1}` });
  if (type.name === 'stepper') return createStep();
  return type.name === 'columns' ? createPart('column') : undefined;
}

/** Adds a tab, step or column at the end of the block at a position, and places the cursor in it. */
export function addPart(tr: Transaction, position: number): Transaction {
  const block = tr.doc.nodeAt(position);
  const part = block === null ? undefined : createNextPart(block);
  if (block === null || part === undefined) return tr;
  const end = position + block.nodeSize - 1;
  tr.insert(end, part);
  return tr.setSelection(Selection.near(tr.doc.resolve(end + 1))).scrollIntoView();
}

/** Adds a tab, step or column to the innermost block with parts around the cursor. */
export const addNextPart: Command = ({ selection: { $from }, tr }, dispatch) => {
  for (let depth = $from.depth; depth > 1; depth -= 1) {
    if (!partTypes.has($from.node(depth).type.name)) continue;
    dispatch?.(addPart(tr, $from.before(depth - 1)));
    return true;
  }
  return false;
};
