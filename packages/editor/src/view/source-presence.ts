import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { findBlockRanges } from '../model/page.ts';
import type { BlockEditor } from './presence.ts';

/** Longer texts are not parsed to show who edits which block, because parsing would delay typing. */
const maxLength = 200_000;
const pauseMilliseconds = 500;

type OnBlock = ((block: number) => void) | undefined;

const setMarks = StateEffect.define<DecorationSet>();

/** The first lines of the blocks that others edit. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, { changes, effects }) => effects.find((effect) => effect.is(setMarks))?.value ?? shown.map(changes),
  provide: (field) => EditorView.decorations.from(field),
});

const theme = EditorView.theme({
  '.cm-edited': { position: 'relative', boxShadow: 'inset 2px 0 0 0 var(--primary)' },
  '.cm-edited::after': {
    content: 'attr(data-editors)',
    position: 'absolute',
    insetBlockStart: '0',
    insetInlineEnd: '0',
    padding: '0 0.375rem',
    borderRadius: '0.25rem',
    background: 'var(--primary)',
    color: 'var(--primary-ink)',
    font: '500 0.6875rem / 1.125rem var(--font)',
    pointerEvents: 'none',
    opacity: '0.9',
  },
});

class PresencePlugin {
  editors: BlockEditor[] = [];
  readonly #view: EditorView;
  readonly #onBlock: OnBlock;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reported: number | undefined;

  constructor(view: EditorView, onBlock: OnBlock) {
    this.#view = view;
    this.#onBlock = onBlock;
    this.schedule();
  }

  schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), pauseMilliseconds);
  }

  #show(): void {
    const { doc, selection } = this.#view.state;
    if (doc.length > maxLength) return;
    const ranges = findBlockRanges(doc.toString());
    const block = Math.max(
      0,
      ranges.findLastIndex(({ from }) => from <= selection.main.head),
    );
    if (block !== this.#reported) this.#onBlock?.(block);
    this.#reported = block;
    const lines = ranges.flatMap(({ from }, index) => {
      const names = this.editors.filter((each) => each.block === index).map(({ name }) => name);
      const attributes = { class: 'cm-edited', 'data-editors': names.join(', ') };
      return names.length === 0 ? [] : [Decoration.line({ attributes }).range(doc.lineAt(from).from)];
    });
    this.#view.dispatch({ effects: setMarks.of(Decoration.set(lines, true)) });
  }

  update({ docChanged, selectionSet }: ViewUpdate): void {
    if (docChanged || selectionSet) this.schedule();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }
}

interface SourcePresence {
  extension: Extension;
  /** Shows the names of others at the blocks that they edit. */
  setEditors(view: EditorView, editors: BlockEditor[]): void;
}

/** Marks the blocks that others edit, and reports the block with the cursor after a pause. */
export function createSourcePresence(onBlock: OnBlock): SourcePresence {
  const plugin = ViewPlugin.define((view) => new PresencePlugin(view, onBlock));
  return {
    extension: [marks, theme, plugin],
    setEditors(view, editors) {
      const presence = view.plugin(plugin);
      if (presence === null) return;
      presence.editors = editors;
      presence.schedule();
    },
  };
}
