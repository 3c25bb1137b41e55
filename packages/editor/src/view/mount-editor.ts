import { dropCursor } from 'prosemirror-dropcursor';
import { gapCursor } from 'prosemirror-gapcursor';
import { history } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { Node } from 'prosemirror-model';
import { EditorState, type Plugin } from 'prosemirror-state';
import { tableEditing } from 'prosemirror-tables';
import { EditorView } from 'prosemirror-view';
import { mapTargets, type OpenedPage, openPage, writeBlocks, writeNodes, writePage } from '../model/page.ts';
import { reopenPage } from '../model/reopen-page.ts';
import { addTitleHeading, findTitleHeading, getHiddenHeading, hideTitleHeading } from '../model/title-heading.ts';
import { createBlockHandle } from './block-handle.ts';
import { clickBelow } from './click-below.ts';
import { clipboardPlugin } from './clipboard.ts';
import { columnLabels } from './columns.ts';
import { createElement } from './dom.ts';
import { createUploads } from './images.ts';
import { keyPlugins } from './keys.ts';
import { openLinkForm } from './link-form.ts';
import { appendBlocks, findNewTargets, mergeTexts } from './merge-source.ts';
import { createNodeViews } from './node-views.ts';
import type { EditorOptions } from './options.ts';
import { createPlaceholder } from './placeholder.ts';
import { type BlockEditor, createPresence, showEditors } from './presence.ts';
import { createReusableContents } from './reusable-content.ts';
import type { SourceEditor } from './source-mode.ts';
import { createSuggestions } from './suggestions.ts';
import { createPageSearch, openTargetForm } from './target-form.ts';
import { createToolbar } from './toolbar.ts';
import { hasRunningUploads } from './uploads.ts';

export interface MountedEditor {
  /** Returns the Markdown. Blocks that were not changed have the same bytes as before. */
  getMarkdown(): string;
  /** Replaces the text by a version that others have changed. Undo does not revert their changes. */
  setMarkdown(markdown: string, title?: string): void;
  /** Changes the title of the page, and also a first heading that is hidden because it repeats the title. */
  setTitle(title: string): void;
  /** Shows the names of others at the blocks that they edit. */
  setEditors(editors: BlockEditor[]): void;
  /** Switches between rich text and Markdown. */
  setSourceMode(isSource: boolean): Promise<void>;
  /** Whether files are being uploaded. They are lost if the editor is destroyed. */
  isUploading(): boolean;
  focus(): void;
  destroy(): void;
}

/** Shows an editor in an element. */
export const mountEditor = (element: HTMLElement, options: EditorOptions): MountedEditor =>
  new Editor(element, options);

class Editor implements MountedEditor {
  readonly #options: EditorOptions;
  readonly #frame = createElement('div', { class: 'editor' });
  readonly #rich = createElement('div', { class: 'editor-rich' });
  readonly #view: EditorView;
  #page: OpenedPage;
  #title: string | undefined;
  #source: { editor: SourceEditor; element: HTMLElement } | undefined;
  /** The last switch between rich text and Markdown. The next switch starts when this one has ended. */
  #switched: Promise<void> = Promise.resolve();
  #editors: BlockEditor[] = [];
  #isDestroyed = false;

  constructor(element: HTMLElement, options: EditorOptions) {
    this.#options = options;
    this.#page = openPage(options.markdown);
    this.#title = options.title;
    this.#frame.append(this.#rich);
    element.append(this.#frame);
    this.#view = this.#createView();
  }

  #createView(): EditorView {
    const { label = 'Text', onChange, onUploading } = this.#options;
    const body = createElement('div', { class: 'editor-body' });
    const doc = hideTitleHeading(this.#page.doc, this.#title);
    this.#rich.append(body);
    const view: EditorView = new EditorView(body, {
      state: EditorState.create({ doc, plugins: this.#createPlugins() }),
      nodeViews: createNodeViews(this.#options),
      attributes: { class: 'editor-text', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
      dispatchTransaction: (transaction) => {
        const before = view.state;
        view.updateState(before.apply(transaction));
        if (transaction.docChanged) this.#mergeIntoSource(before.doc);
        if (transaction.docChanged) onChange?.();
        const isUploading = hasRunningUploads(view.state);
        if (isUploading !== hasRunningUploads(before)) onUploading?.(isUploading);
      },
    });
    return view;
  }

  #createPlugins(): Plugin[] {
    const { upload, placeholder, onBlock, searchPages } = this.#options;
    const openLink = (_state: unknown, _dispatch: unknown, view?: EditorView): boolean => {
      if (view !== undefined) openLinkForm(view);
      return true;
    };
    return [
      createSuggestions(this.#options),
      createPageSearch(searchPages),
      keymap({ 'Mod-k': openLink }),
      ...keyPlugins,
      ...[history(), dropCursor({ class: 'editor-drop', color: false }), gapCursor(), clipboardPlugin, clickBelow],
      ...(upload === undefined ? [] : [createUploads(upload)]),
      ...this.#createReusableContents(),
      createBlockHandle(),
      createPresence(onBlock),
      ...(placeholder === undefined ? [] : [createPlaceholder(placeholder)]),
      createToolbar(this.#options),
      columnLabels,
      tableEditing(),
    ];
  }

  #createReusableContents(): Plugin[] {
    const { createReusableContent: create, toStableTarget = (target) => target } = this.#options;
    if (create === undefined) return [];
    const write = (blocks: Node[]) =>
      writeBlocks(
        this.#page,
        blocks.map((block) => mapTargets(block, toStableTarget)),
      );
    return [createReusableContents((blocks) => create(write(blocks)))];
  }

  getMarkdown(): string {
    return this.#source?.editor.getMarkdown() ?? this.#write(this.#view.state.doc);
  }

  #write(doc: Node): string {
    return writePage(this.#page, addTitleHeading(doc, getHiddenHeading(doc), this.#title));
  }

  setTitle(title: string): void {
    if (this.#title !== undefined) this.#title = title;
  }

  setMarkdown(markdown: string, title?: string): void {
    if (title !== undefined) this.setTitle(title);
    if (this.#source === undefined) this.#replace(markdown, { isUndoable: false });
    else this.#source.editor.setMarkdown(markdown, { isUndoable: false });
  }

  /** Changes only the blocks that differ, so that the cursor stays. */
  #replace(markdown: string, { isUndoable }: { isUndoable: boolean }): void {
    const { doc, tr } = this.#view.state;
    // A heading stays shown while the user writes it.
    const title = this.#isHeadingWritten() ? undefined : this.#title;
    if (markdown === this.#write(doc) && findTitleHeading(doc, title) === undefined) return;
    const transaction = tr.setMeta('addToHistory', isUndoable);
    this.#page = reopenPage(this.#page, markdown, transaction, { title, isUndoable });
    this.#view.dispatch(transaction);
  }

  #isHeadingWritten(): boolean {
    const { doc, selection } = this.#view.state;
    const isFirst = getHiddenHeading(doc) === undefined && selection.$head.index(0) === 0;
    return isFirst && doc.firstChild?.type.name === 'heading' && this.#view.hasFocus();
  }

  /** Merges a change of the rich text, such as the address of an uploaded file, into the edited Markdown. */
  #mergeIntoSource(before: Node): void {
    if (this.#source === undefined) return;
    const { editor } = this.#source;
    const { doc } = this.#view.state;
    const main = editor.getMarkdown();
    const merged = mergeTexts({ base: this.#write(before), main, incoming: this.#write(doc) });
    const added = findNewTargets(before, doc).map((node) => writeNodes([node], this.#page.style));
    editor.setMarkdown(merged ?? appendBlocks(main, added), { isUndoable: true });
  }

  setEditors(editors: BlockEditor[]): void {
    this.#editors = editors;
    this.#source?.editor.setEditors(editors);
    this.#view.dispatch(showEditors(this.#view.state, editors));
  }

  setSourceMode(isSource: boolean): Promise<void> {
    const change = (): Promise<void> | void => (isSource ? this.#showSource() : this.#hideSource());
    this.#switched = this.#switched.then(change, change);
    return this.#switched;
  }

  isUploading(): boolean {
    return hasRunningUploads(this.#view.state);
  }

  async #showSource(): Promise<void> {
    const { mountSourceEditor } = await import('./source-mode.ts');
    if (this.#source !== undefined || this.#isDestroyed) return;
    const { label = 'Text', onChange, onBlock } = this.#options;
    const element = createElement('div', { class: 'editor-source' });
    this.#frame.append(element);
    // The text is read only now, because the user can write until the code is loaded.
    const text = this.getMarkdown();
    const editor = mountSourceEditor(element, {
      ...{ text, label, onBlock },
      onChange: () => onChange?.(),
      openLink: (place, target) =>
        openTargetForm({ ...place, parent: this.#frame, search: this.#options.searchPages }, target),
    });
    editor.setEditors(this.#editors);
    this.#source = { editor, element };
    this.#rich.hidden = true;
    this.focus();
  }

  #hideSource(): void {
    if (this.#source === undefined) return;
    const markdown = this.getMarkdown();
    this.#source.editor.destroy();
    this.#source.element.remove();
    this.#source = undefined;
    this.#rich.hidden = false;
    if (markdown !== this.getMarkdown()) this.#replace(markdown, { isUndoable: true });
    this.#view.focus();
  }

  focus(): void {
    if (this.#source === undefined) this.#view.focus();
    else this.#source.editor.focus();
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#source?.editor.destroy();
    this.#view.destroy();
    this.#frame.remove();
  }
}
