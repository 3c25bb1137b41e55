import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  defaultHighlightStyle,
  defineLanguageFacet,
  HighlightStyle,
  Language,
  LanguageSupport,
  syntaxHighlighting,
} from '@codemirror/language';
import { EditorState, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { GFM, parser } from '@lezer/markdown';
import type { BlockEditor } from './presence.ts';
import { createLinkKeys, type OpenSourceForm } from './source-link.ts';
import { createSourcePresence } from './source-presence.ts';
import { findTextChanges } from './text-changes.ts';

export interface SourceEditor {
  getMarkdown(): string;
  /** Replaces the text. The cursor stays where it is, unless the text around it differs. */
  setMarkdown(markdown: string, options: { isUndoable: boolean }): void;
  /** Shows the names of others at the blocks that they edit. */
  setEditors(editors: BlockEditor[]): void;
  focus(): void;
  destroy(): void;
}

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--page)', fontSize: '0.875rem' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--page)', border: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--primary-text)', outlineOffset: '2px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--primary-ground) !important' },
});

/** The Markdown language. The languages of HTML and code in it are omitted, because they are twice as large. */
const language = new LanguageSupport(new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown'));

/** The colors of the default style are too dark for a dark page, so only its font styles are used. */
const highlightStyle = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({
    ...spec,
    ...(color && { color: 'var(--primary-text)' }),
  })),
);

/** Returns the changes that turn the text into another one. */
function findChanges(state: EditorState, markdown: string) {
  const next = state.toText(markdown);
  return findTextChanges(state.doc.toString(), next.toString()).map(({ from, to, newFrom, newTo }) => ({
    ...{ from, to },
    insert: next.slice(newFrom, newTo),
  }));
}

interface SourceOptions {
  text: string;
  label: string;
  onChange: () => void;
  onBlock: ((block: number) => void) | undefined;
  openLink: OpenSourceForm;
}

/**
 * Shows the Markdown in an editor. It is in a shadow tree, where CodeMirror adopts style sheets instead of adding style
 * elements, which the content security policy forbids.
 */
export function mountSourceEditor(
  element: HTMLElement,
  { text, label, onChange, onBlock, openLink }: SourceOptions,
): SourceEditor {
  const presence = createSourcePresence(onBlock);
  const root = element.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  root.append(parent);
  // A text with mixed line ends is split only at line feeds, so that its carriage returns are preserved.
  const lineEnd = /(?<!\r)\n/.test(text) || !text.includes('\r\n') ? '\n' : '\r\n';
  const view = new EditorView({
    root,
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...[lineNumbers(), history(), drawSelection(), EditorView.lineWrapping, language, theme],
        syntaxHighlighting(highlightStyle),
        keymap.of([...createLinkKeys(openLink), ...defaultKeymap, ...historyKeymap, indentWithTab]),
        presence.extension,
        EditorState.lineSeparator.of(lineEnd),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    getMarkdown: () => view.state.sliceDoc(),
    setMarkdown: (markdown, { isUndoable }) =>
      view.dispatch({
        changes: findChanges(view.state, markdown),
        annotations: Transaction.addToHistory.of(isUndoable),
      }),
    setEditors: (editors) => presence.setEditors(view, editors),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
