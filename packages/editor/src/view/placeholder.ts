import type { Node } from 'prosemirror-model';
import { Plugin } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';

const isEmpty = ({ childCount, firstChild }: Node): boolean =>
  childCount === 1 && firstChild?.type.name === 'paragraph' && firstChild.content.size === 0;

/** Shows a hint in the first paragraph while the text is empty. */
export const createPlaceholder = (text: string): Plugin =>
  new Plugin({
    props: {
      attributes: ({ doc }) => (isEmpty(doc) ? { 'aria-placeholder': text } : ({} as Record<string, string>)),
      decorations: ({ doc }) =>
        isEmpty(doc)
          ? DecorationSet.create(doc, [
              Decoration.node(0, doc.firstChild?.nodeSize ?? 0, {
                class: 'editor-placeholder',
                'data-placeholder': text,
              }),
            ])
          : undefined,
    },
  });
