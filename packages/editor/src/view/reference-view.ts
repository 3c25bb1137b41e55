import type { TreeData } from '@octavo/markdown/editing';
import type { Node } from 'prosemirror-model';
import type { EditorView, NodeView } from 'prosemirror-view';
import { addressKey, getField } from './block-fields.ts';
import { createButton, createElement } from './dom.ts';
import { type ChosenTarget, getFormHost, openTargetForm } from './target-form.ts';

/** A link to a page as a block. Its target is chosen in a form. */
export class ReferenceView implements NodeView {
  readonly dom: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #view: EditorView;
  readonly #getPosition: () => number | undefined;
  #node: Node;

  constructor(node: Node, view: EditorView, getPosition: () => number | undefined) {
    this.#node = node;
    this.#view = view;
    this.#getPosition = getPosition;
    this.#button = createButton('Choose the page', '', () => this.#choose(), 'editor-target');
    this.dom = createElement('div', { class: 'editor-block', 'data-block': 'content_ref', contenteditable: 'false' }, [
      createElement('div', { class: 'editor-block-head' }, [createElement('span', {}, ['Page link']), this.#button]),
    ]);
    this.update(node);
  }

  #getUrl(): string {
    return getField(this.#node.attrs.data as TreeData, addressKey);
  }

  #choose(): void {
    const position = this.#getPosition();
    if (position === undefined) return;
    const apply = ({ url, title }: ChosenTarget): void => {
      // Another person can delete the block while the form is open.
      const current = this.#getPosition();
      if (current === undefined) return;
      const former = this.#node.attrs.data as TreeData;
      const caption = title ?? (url === this.#getUrl() ? former.caption : url);
      const data = { ...former, ref: { kind: 'url', url }, ...(caption !== undefined && { caption }) };
      const attributes = { ...this.#node.attrs, data };
      this.#view.dispatch(this.#view.state.tr.setNodeMarkup(current, undefined, attributes));
    };
    openTargetForm(getFormHost(this.#view, position), { label: 'Page link', url: this.#getUrl(), apply });
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    this.#node = node;
    const { caption } = node.attrs.data as TreeData;
    this.#button.textContent = (typeof caption === 'string' ? caption : this.#getUrl()) || 'Choose a page';
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target === this.#button;
  }

  ignoreMutation(): boolean {
    return true;
  }
}
