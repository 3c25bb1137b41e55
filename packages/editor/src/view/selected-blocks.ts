import type { Node } from 'prosemirror-model';
import {
  type Command,
  type EditorState,
  NodeSelection,
  Plugin,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import { startParagraph } from './commands.ts';

/** Whether typing would destroy a selected node that cannot contain the text. */
const isKept = (node: Node): boolean => (node.isInline ? node.type.name === 'inline_image' : !node.isTextblock);

/** Moves the cursor behind a selected image in text, or to a new paragraph below a selected block. */
export const leaveSelectedNode: Command = ({ selection, tr }, dispatch) => {
  if (!(selection instanceof NodeSelection) || !isKept(selection.node)) return false;
  const { $from, $to, node } = selection;
  if (!node.isInline) dispatch?.(startParagraph(tr, $to.pos));
  else if ($from.parent.childCount === 1) dispatch?.(startParagraph(tr, $from.after()));
  else dispatch?.(tr.setSelection(TextSelection.create(tr.doc, $to.pos)));
  return true;
};

/** Selects the whole figure instead of its only image, because a figure without an image is invalid. */
function selectFigure({ selection, tr }: EditorState): Transaction | undefined {
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== 'image') return undefined;
  const { $from } = selection;
  return $from.parent.childCount === 1 ? tr.setSelection(NodeSelection.create(tr.doc, $from.before())) : undefined;
}

/** Keeps a selected image or block when the user types. */
export const selectedBlocks = new Plugin({
  appendTransaction: (_transactions, _before, state) => selectFigure(state),
  props: {
    handleTextInput(view, _from, _to, text) {
      if (!leaveSelectedNode(view.state, view.dispatch)) return false;
      view.dispatch(view.state.tr.insertText(text).scrollIntoView());
      return true;
    },
  },
});
