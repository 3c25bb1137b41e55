import type { Node } from 'prosemirror-model';
import { type EditorState, Plugin, PluginKey } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';
import { isEmptyBlock } from '../model/page.ts';
import { getHiddenHeading } from '../model/title-heading.ts';

/** Another person whose cursor is in a block. `block` is its position among the blocks that are not empty. */
export interface BlockEditor {
  block: number;
  name: string;
}

const presenceKey = new PluginKey<BlockEditor[]>('presence');

/** Returns the position of the block with the cursor among the shown blocks that are not empty. */
function findBlock({ doc, selection }: EditorState): number {
  const index = selection.$head.index(0);
  let count = 0;
  doc.forEach((node, _offset, each) => {
    if (each <= index && !isEmptyBlock(node)) count += 1;
  });
  return Math.max(0, count - 1);
}

const countHidden = (doc: Node): number => (getHiddenHeading(doc) === undefined ? 0 : 1);

function createDecorations(doc: Node, editors: BlockEditor[]): DecorationSet {
  const decorations: Decoration[] = [];
  let block = countHidden(doc);
  doc.forEach((node, from) => {
    if (isEmptyBlock(node)) return;
    const names = editors.filter((each) => each.block === block).map(({ name }) => name);
    block += 1;
    if (names.length === 0) return;
    const attributes = { class: 'editor-edited', 'data-editors': names.join(', ') };
    decorations.push(Decoration.node(from, from + node.nodeSize, attributes));
  });
  return DecorationSet.create(doc, decorations);
}

/** Marks the blocks that others edit, and reports the block with the cursor when it changes. */
export const createPresence = (onBlock: ((block: number) => void) | undefined): Plugin =>
  new Plugin<BlockEditor[]>({
    key: presenceKey,
    state: {
      init: () => [],
      apply: (transaction, editors) => (transaction.getMeta(presenceKey) as BlockEditor[] | undefined) ?? editors,
    },
    props: {
      decorations: (state) => createDecorations(state.doc, presenceKey.getState(state) ?? []),
    },
    view: () => {
      let reported: number | undefined;
      return {
        update: ({ state }, former) => {
          if (state.doc === former.doc && state.selection.eq(former.selection)) return;
          const block = countHidden(state.doc) + findBlock(state);
          if (block !== reported) onBlock?.(block);
          reported = block;
        },
      };
    },
  });

/** Shows who edits which block, until the next call. */
export const showEditors = (state: EditorState, editors: BlockEditor[]) => state.tr.setMeta(presenceKey, editors);
