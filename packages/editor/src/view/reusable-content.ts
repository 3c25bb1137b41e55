import type { Node } from 'prosemirror-model';
import { type Command, type EditorState, NodeSelection, Plugin, PluginKey, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { schema } from '../model/schema.ts';

/** Creates reusable content with the text of blocks. Returns its address, or undefined if the user cancels. */
type CreateFromBlocks = (blocks: Node[]) => Promise<string | undefined>;

const key = new PluginKey('reusable-content');

/** Provides the creation of reusable content to the commands of an editor. */
export const createReusableContents = (create: CreateFromBlocks): Plugin => new Plugin({ key, create });

/** Returns the top-level blocks that the selection covers, at least in part. */
export function getSelectedBlocks({ selection: { $from, $to }, doc }: EditorState): Node[] {
  const first = $from.index(0);
  const last = $to.depth === 0 ? Math.max(first, $to.index(0) - 1) : $to.index(0);
  return doc.children.slice(first, last + 1);
}

/**
 * Replaces blocks by reusable content. If another person has changed them meanwhile, they stay, and the reusable content
 * is inserted after the selection.
 */
export function replaceByReusable(state: EditorState, blocks: Node[], target: string): Transaction {
  const { doc, tr, selection } = state;
  const index = doc.children.findIndex((_, start) =>
    blocks.every((block, each) => doc.maybeChild(start + each) === block),
  );
  const position = doc.children.slice(0, Math.max(0, index)).reduce((sum, { nodeSize }) => sum + nodeSize, 0);
  const size = blocks.reduce((sum, { nodeSize }) => sum + nodeSize, 0);
  const { $to } = selection;
  const start = index < 0 ? ($to.depth === 0 ? $to.pos : $to.after(1)) : position;
  const node = schema.node('reusable_content', { data: { ref: { kind: 'url', url: target } } });
  tr.replaceWith(start, index < 0 ? start : start + size, node);
  return tr.setSelection(NodeSelection.create(tr.doc, start)).scrollIntoView();
}

async function convertBlocks(view: EditorView, create: CreateFromBlocks): Promise<void> {
  const blocks = getSelectedBlocks(view.state);
  const target = await create(blocks);
  if (target === undefined || view.isDestroyed) return;
  view.dispatch(replaceByReusable(view.state, blocks, target));
  view.focus();
}

/** Turns the selected blocks into reusable content, which other pages can include. */
export const turnIntoReusableContent: Command = (state, dispatch, view) => {
  const create = key.get(state)?.spec.create as CreateFromBlocks | undefined;
  if (create === undefined || state.selection.empty) return false;
  if (dispatch !== undefined && view !== undefined) void convertBlocks(view, create);
  return true;
};
