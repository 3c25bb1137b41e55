import type { Node } from 'prosemirror-model';
import { Plugin } from 'prosemirror-state';
import { startParagraph } from './commands.ts';

/** Whether a click below a block continues the text of the block. */
const continuesOnClickBelow = ({ type: { name } }: Node): boolean =>
  name === 'paragraph' || name === 'heading' || name.startsWith('list_');

/** Starts a paragraph when the user clicks below the last block, unless the click continues the text of this block. */
export const clickBelow = new Plugin({
  props: {
    handleDOMEvents: {
      mousedown(view, event) {
        const { doc, tr } = view.state;
        const { lastChild } = doc;
        if (
          event.button !== 0 ||
          event.shiftKey ||
          event.target !== view.dom ||
          lastChild === null ||
          continuesOnClickBelow(lastChild)
        )
          return false;
        const last = view.nodeDOM(doc.content.size - lastChild.nodeSize);
        if (!(last instanceof Element) || event.clientY <= last.getBoundingClientRect().bottom) return false;
        event.preventDefault();
        view.dispatch(startParagraph(tr, doc.content.size));
        view.focus();
        return true;
      },
    },
  },
});
