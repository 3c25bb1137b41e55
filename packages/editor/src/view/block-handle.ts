import { deleteSelection } from 'prosemirror-commands';
import { type Command, NodeSelection, Plugin } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { moveBlock } from './commands.ts';
import { createElement, createIcon, placeBelow } from './dom.ts';
import { turnIntoReusableContent } from './reusable-content.ts';

const dots = 'M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01';

const menuCommands: { label: string; run: Command }[] = [
  { label: 'Move up', run: moveBlock(-1) },
  { label: 'Move down', run: moveBlock(1) },
  { label: 'Turn into reusable content', run: turnIntoReusableContent },
  { label: 'Delete', run: deleteSelection },
];

/**
 * Shows a handle beside the top-level block under the pointer. It selects the block and opens a menu for it, and moves
 * the block by dragging.
 */
export const createBlockHandle = (): Plugin => new Plugin({ view: (view) => new BlockHandle(view) });

class BlockHandle {
  readonly #view: EditorView;
  readonly #handle = createElement(
    'button',
    {
      type: 'button',
      class: 'editor-handle',
      draggable: 'true',
      tabindex: '-1',
      'aria-label': 'Select or drag the block',
      'aria-haspopup': 'menu',
      title: 'Drag to move. Alt+↑ and Alt+↓ move the block, too.',
    },
    [createIcon(dots)],
  );
  readonly #menu = createElement('ul', {
    class: 'editor-block-menu',
    role: 'menu',
    'aria-label': 'Block',
    hidden: true,
  });
  #position: number | undefined;
  /** The handle stays visible while it is dragged, because browsers can end the dragging of a hidden element. */
  #isDragging = false;
  /** A pressed button can be the start of dragging the handle. */
  readonly #follow = ({ buttons, clientY }: PointerEvent): void => {
    if (buttons === 0) this.#showAt(clientY);
  };
  readonly #closeOutside = ({ target }: Event): void => {
    if (!(target instanceof globalThis.Node && this.#menu.contains(target))) this.#menu.hidden = true;
  };

  constructor(view: EditorView) {
    this.#view = view;
    this.#handle.hidden = true;
    const frame = view.dom.parentElement;
    frame?.append(this.#handle, this.#menu);
    frame?.addEventListener('pointermove', this.#follow);
    this.#handle.addEventListener('click', () => this.#openMenu());
    this.#menu.addEventListener('keydown', (event) => this.#handleMenuKey(event));
    document.addEventListener('pointerdown', this.#closeOutside);
    this.#handle.addEventListener('dragstart', (event) => this.#drag(event));
    this.#handle.addEventListener('dragend', () => {
      this.#isDragging = false;
      this.#handle.hidden = true;
    });
    this.#handle.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowUp') moveBlock(-1)(view.state, view.dispatch);
      if (key === 'ArrowDown') moveBlock(1)(view.state, view.dispatch);
    });
  }

  #showAt(y: number): void {
    const { doc } = this.#view.state;
    const frame = this.#view.dom.parentElement?.getBoundingClientRect();
    const elements = [...this.#view.dom.children].filter((each) => each instanceof HTMLElement);
    const index = findLastAbove(elements, y);
    const element = elements[index];
    if (element === undefined || frame === undefined || index >= doc.childCount) return;
    let position = 0;
    for (let each = 0; each < index; each += 1) position += doc.child(each).nodeSize;
    this.#position = position;
    this.#handle.hidden = false;
    this.#handle.style.top = `${element.getBoundingClientRect().top - frame.top}px`;
  }

  #select(): NodeSelection | undefined {
    const { state, dispatch } = this.#view;
    if (this.#position === undefined || state.doc.nodeAt(this.#position) === null) return undefined;
    const selection = NodeSelection.create(state.doc, this.#position);
    dispatch(state.tr.setSelection(selection));
    this.#view.focus();
    return selection;
  }

  /** Selects the block, and shows what can be done with it. Several selected blocks stay selected. */
  #openMenu(): void {
    // The selection of the block hides the handle.
    const place = this.#handle.getBoundingClientRect();
    const { from, to } = this.#view.state.selection;
    const node = this.#position === undefined ? null : this.#view.state.doc.nodeAt(this.#position);
    const isSelected =
      node !== null && this.#position !== undefined && from <= this.#position && to >= this.#position + node.nodeSize;
    if (!isSelected && this.#select() === undefined) return;
    const { state } = this.#view;
    this.#menu.replaceChildren(
      ...menuCommands
        .filter(({ run }) => run(state))
        .map(({ label, run }) => {
          const item = createElement('button', { type: 'button', role: 'menuitem' }, [label]);
          item.addEventListener('click', () => {
            this.#menu.hidden = true;
            this.#view.focus();
            run(this.#view.state, this.#view.dispatch, this.#view);
          });
          return createElement('li', { role: 'none' }, [item]);
        }),
    );
    this.#menu.hidden = false;
    placeBelow(this.#menu, place);
    this.#menu.querySelector('button')?.focus();
  }

  /** Arrows move between the items. Other keys close the menu, and act on the selected block. */
  #handleMenuKey(event: KeyboardEvent): void {
    const { key, altKey } = event;
    if (['Enter', ' ', 'Alt', 'Shift', 'Control', 'Meta'].includes(key)) return;
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && !altKey) {
      const items = [...this.#menu.querySelectorAll('button')];
      const index = items.findIndex((item) => item.matches(':focus'));
      items[(index + step + items.length) % items.length]?.focus();
      event.preventDefault();
      return;
    }
    this.#menu.hidden = true;
    this.#view.focus();
    const { state, dispatch } = this.#view;
    if (step !== 0) moveBlock(step)(state, dispatch);
    else if (key === 'Backspace' || key === 'Delete') deleteSelection(state, dispatch);
    else if (key !== 'Escape' && key !== 'Tab') return;
    event.preventDefault();
  }

  #drag(event: DragEvent): void {
    this.#menu.hidden = true;
    this.#isDragging = true;
    const selection = this.#select();
    if (selection === undefined || event.dataTransfer === null) return;
    const slice = selection.content();
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/html', this.#view.serializeForClipboard(slice).dom.innerHTML);
    const element = this.#view.nodeDOM(selection.from);
    if (element instanceof Element) event.dataTransfer.setDragImage(element, 0, 0);
    this.#view.dragging = { slice, move: true };
  }

  update(): void {
    this.#handle.hidden = !this.#isDragging;
  }

  destroy(): void {
    this.#view.dom.parentElement?.removeEventListener('pointermove', this.#follow);
    document.removeEventListener('pointerdown', this.#closeOutside);
    this.#handle.remove();
    this.#menu.remove();
  }
}

/** Returns the index of the last element that begins above a height of the window. */
function findLastAbove(elements: Element[], y: number): number {
  let [low, high] = [0, elements.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((elements[middle]?.getBoundingClientRect().top ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
