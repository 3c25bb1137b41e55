import { NodeSelection, Plugin } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { moveBlock } from './commands.ts';
import { createElement, createIcon } from './dom.ts';

const dots = 'M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01';

/** Shows a handle beside the top-level block under the pointer. It selects the block, and moves it by dragging. */
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
      title: 'Drag to move. Alt+↑ and Alt+↓ move the block, too.',
    },
    [createIcon(dots)],
  );
  #position: number | undefined;
  readonly #follow = (event: PointerEvent): void => this.#showAt(event.clientY);

  constructor(view: EditorView) {
    this.#view = view;
    this.#handle.hidden = true;
    const frame = view.dom.parentElement;
    frame?.append(this.#handle);
    frame?.addEventListener('pointermove', this.#follow);
    this.#handle.addEventListener('click', () => this.#select());
    this.#handle.addEventListener('dragstart', (event) => this.#drag(event));
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

  #drag(event: DragEvent): void {
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
    this.#handle.hidden = true;
  }

  destroy(): void {
    this.#view.dom.parentElement?.removeEventListener('pointermove', this.#follow);
    this.#handle.remove();
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
