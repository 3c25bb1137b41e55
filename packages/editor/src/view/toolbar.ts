import { toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import type { MarkType } from 'prosemirror-model';
import { type Command, Plugin } from 'prosemirror-state';
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable, isInTable } from 'prosemirror-tables';
import type { EditorView } from 'prosemirror-view';
import { insertedChoices, marks, setHeading, setParagraph } from './commands.ts';
import { createButton, createElement, createIcon, focusText } from './dom.ts';
import { startUploads } from './images.ts';
import { openLinkForm } from './link-form.ts';
import type { EditorOptions } from './options.ts';

const icons = {
  bold: 'M7 5h6a3.500 3.500 0 0 1 0 7H7zm0 7h7a3.500 3.500 0 0 1 0 7H7z',
  italic: 'M10 5h8M6 19h8M14 5l-4 14',
  strikethrough: 'M4 12h16M17 7a4 4 0 0 0-4-2h-2a3.500 3.500 0 0 0-3 5M7 17a4 4 0 0 0 4 2h2a3.500 3.500 0 0 0 3.500-5',
  code: 'm8 7-5 5 5 5m8-10 5 5-5 5',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  image: 'M4 5h16v14H4zm0 11 5-5 4 4 2-2 5 4M15.500 9h.01',
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm15 14 5-5-5-5m5 5H10a6 6 0 0 0 0 12h3',
};

type IconName = keyof typeof icons;

const tableCommands: { label: string; run: Command }[] = [
  { label: 'Add row', run: addRowAfter },
  { label: 'Add column', run: addColumnAfter },
  { label: 'Delete row', run: deleteRow },
  { label: 'Delete column', run: deleteColumn },
  { label: 'Delete table', run: deleteTable },
];

interface ToolbarButton {
  element: HTMLButtonElement;
  command?: Command;
  mark?: MarkType | undefined;
}

/** Shows the toolbar above the text. */
export const createToolbar = (options: EditorOptions): Plugin =>
  new Plugin({ view: (view) => new Toolbar(view, options) });

class Toolbar {
  readonly #view: EditorView;
  readonly #element = createElement('div', { class: 'editor-toolbar', role: 'toolbar', 'aria-label': 'Format' });
  readonly #buttons: ToolbarButton[] = [];
  readonly #kind: HTMLSelectElement;
  readonly #table: HTMLSelectElement;

  constructor(view: EditorView, options: EditorOptions) {
    this.#view = view;
    this.#kind = this.#createKindSelect();
    this.#addMark('bold', 'Bold');
    this.#addMark('italic', 'Italic');
    this.#addMark('strikethrough', 'Strikethrough');
    this.#addMark('code', 'Code');
    this.#add({ element: createButton('Link', createIcon(icons.link), () => openLinkForm(view)) });
    if (options.upload !== undefined) this.#addImageButton(options.upload);
    this.#addMenu('Insert a block', 'Insert', insertedChoices);
    this.#table = this.#addMenu('Change the table', 'Table', tableCommands);
    this.#addCommand('undo', 'Undo', undo);
    this.#addCommand('redo', 'Redo', redo);
    view.dom.parentElement?.before(this.#element);
    this.#element.addEventListener('keydown', (event) => this.#moveFocus(event));
    this.update();
  }

  #add(button: ToolbarButton): void {
    this.#buttons.push(button);
    this.#element.append(button.element);
  }

  #run(command: Command): void {
    command(this.#view.state, this.#view.dispatch, this.#view);
    focusText(this.#view);
  }

  #addCommand(icon: IconName, label: string, command: Command): void {
    this.#add({ element: createButton(label, createIcon(icons[icon]), () => this.#run(command)), command });
  }

  #addMark(name: 'bold' | 'italic' | 'strikethrough' | 'code', label: string): void {
    const mark = marks[name];
    if (mark === undefined) return;
    const command = toggleMark(mark);
    this.#add({ element: createButton(label, createIcon(icons[name]), () => this.#run(command)), command, mark });
  }

  #addImageButton(upload: NonNullable<EditorOptions['upload']>): void {
    const input = createElement('input', { type: 'file', accept: 'image/*', multiple: true, hidden: true });
    input.addEventListener('change', () => {
      startUploads(this.#view, upload, input.files, this.#view.state.selection.from);
      input.value = '';
      this.#view.focus();
    });
    this.#element.append(input);
    this.#add({ element: createButton('Image', createIcon(icons.image), () => input.click()) });
  }

  #createKindSelect(): HTMLSelectElement {
    const kinds = ['Text', ...[1, 2, 3, 4, 5, 6].map((level) => `Heading ${level}`)];
    const select = createElement(
      'select',
      { 'aria-label': 'Kind of text' },
      kinds.map((kind, level) => createElement('option', { value: String(level) }, [kind])),
    );
    select.addEventListener('change', () => {
      const level = Number(select.value);
      this.#run(level === 0 ? setParagraph : setHeading(level));
    });
    this.#element.append(select);
    return select;
  }

  /** Adds a menu of commands. After the user chooses a command, the menu shows its own name again. */
  #addMenu(label: string, text: string, commands: { label: string; run: Command }[]): HTMLSelectElement {
    const select = createElement('select', { 'aria-label': label }, [
      createElement('option', { value: '' }, [text]),
      ...commands.map((each) => createElement('option', { value: each.label }, [each.label])),
    ]);
    select.addEventListener('change', () => {
      const chosen = commands.find((each) => each.label === select.value);
      select.value = '';
      if (chosen !== undefined) this.#run(chosen.run);
    });
    this.#element.append(select);
    return select;
  }

  /** Left and right move between the controls. */
  #moveFocus(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const controls = [...this.#element.querySelectorAll<HTMLElement>('button:enabled, select:not([hidden])')];
    const index = controls.findIndex((control) => control.matches(':focus'));
    controls[(index + step + controls.length) % controls.length]?.focus();
    event.preventDefault();
  }

  update(): void {
    const { state } = this.#view;
    const { $from, from, to, empty } = state.selection;
    this.#table.hidden = !isInTable(state);
    for (const { element, command, mark } of this.#buttons) {
      if (command !== undefined) element.disabled = !command(state);
      if (mark === undefined) continue;
      const isActive = empty
        ? mark.isInSet(state.storedMarks ?? $from.marks()) !== undefined
        : state.doc.rangeHasMark(from, to, mark);
      element.setAttribute('aria-pressed', String(isActive));
    }
    const { type, attrs } = $from.parent;
    this.#kind.disabled = type.name !== 'paragraph' && type.name !== 'heading';
    this.#kind.value = type.name === 'heading' ? String(attrs.level) : '0';
  }

  destroy(): void {
    this.#element.remove();
  }
}
