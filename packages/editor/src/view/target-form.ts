import { Plugin, PluginKey } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { createElement, placeBelow } from './dom.ts';
import type { EditorOptions, PageSuggestion } from './options.ts';
import { canBeAddress, isAddress, toAddress } from './typed-address.ts';

type SearchPages = EditorOptions['searchPages'];

const searchKey = new PluginKey<SearchPages>('page-search');

/** Provides the search for pages to the forms of an editor. */
export const createPageSearch = (search: SearchPages): Plugin<SearchPages> =>
  new Plugin({ key: searchKey, state: { init: () => search, apply: (_, former) => former } });

/** A target that the user chose: an address, or a page with its title. */
export interface ChosenTarget {
  url: string;
  title: string | undefined;
  kind: string;
  /** The text of a button, if the form asks for it. */
  text: string;
}

/** The editor that shows a form. */
export interface FormHost {
  /** The element that contains the form. */
  parent: Element | null;
  /** The rectangle of the window below which the form is shown. */
  rectangle: { left: number; top: number; bottom: number };
  search: SearchPages;
  /** Moves the focus back to the text. */
  focus: () => void;
}

export interface TargetForm {
  label: string;
  url: string;
  /** The chosen kind of link. Without one, the form offers no kinds. */
  kind?: string;
  /** Whether the form asks for the text of a button. */
  asksForText?: boolean;
  apply: (target: ChosenTarget) => void;
  /** Removes the link. Without it, the form has no button for that. */
  remove?: (() => void) | undefined;
}

/** Returns the host of a form that is shown below a position in the rich text. */
export const getFormHost = (view: EditorView, position: number): FormHost => ({
  parent: view.dom.parentElement,
  rectangle: view.coordsAtPos(position),
  search: searchKey.getState(view.state),
  focus: () => view.focus(),
});

const kinds = [
  ['link', 'Link'],
  ['primary', 'Button'],
  ['secondary', 'Secondary button'],
] as const;

/** Opens a form for a target. An empty target removes the link. */
export function openTargetForm(host: FormHost, target: TargetForm): void {
  const input = createElement('input', {
    ...{
      type: 'text',
      'aria-label': 'Page or address',
      placeholder: 'Page title or address',
      autocomplete: 'off',
      spellcheck: 'false',
    },
    ...{
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': 'editor-found-pages',
      'aria-autocomplete': 'list',
    },
  });
  input.value = target.url;
  const list = createElement('ul', { role: 'listbox', id: 'editor-found-pages', 'aria-label': 'Pages' });
  const message = createElement('p', { role: 'status' });
  const kind = createElement(
    'select',
    { 'aria-label': 'Show as', hidden: target.kind === undefined },
    kinds.map(([value, label]) => createElement('option', { value }, [label])),
  );
  kind.value = target.kind ?? 'link';
  const text = createElement('input', {
    ...{ type: 'text', 'aria-label': 'Button label', placeholder: 'Button label', autocomplete: 'off' },
  });
  const apply = createElement('button', { type: 'submit', class: 'editor-button' }, ['Apply']);
  const remove = createElement('button', { type: 'button', class: 'editor-button' }, ['Remove']);
  remove.hidden = target.remove === undefined;
  const form = createElement('form', { class: 'editor-link-form', 'aria-label': target.label }, [
    ...[input, kind, text, apply, remove, list, message],
  ]);
  new OpenedForm(host, target, { form, input, kind, text, list, message, remove });
}

interface Parts {
  form: HTMLFormElement;
  input: HTMLInputElement;
  kind: HTMLSelectElement;
  text: HTMLInputElement;
  list: HTMLUListElement;
  message: HTMLElement;
  remove: HTMLButtonElement;
}

class OpenedForm {
  readonly #host: FormHost;
  readonly #target: TargetForm;
  readonly #parts: Parts;
  #pages: PageSuggestion[] = [];
  #selected = -1;
  /** The last search, which ends when its results are shown. */
  #search: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(host: FormHost, target: TargetForm, parts: Parts) {
    this.#host = host;
    this.#target = target;
    this.#parts = parts;
    const { form, input, kind, list, remove } = parts;
    this.#showFields();
    kind.addEventListener('change', () => this.#showFields());
    host.parent?.append(form);
    placeBelow(form, host.rectangle);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    form.addEventListener('focusout', ({ relatedTarget }) => {
      // The form stays open while the user copies an address in another window.
      if (document.hasFocus() && !(relatedTarget instanceof Node && form.contains(relatedTarget))) this.#close();
    });
    form.addEventListener('keydown', (event) => this.#handleKey(event));
    input.addEventListener('input', () => {
      this.#search = this.#find();
    });
    remove.addEventListener('click', () => this.#apply('', undefined));
    list.addEventListener('mousedown', (event) => {
      event.preventDefault();
      const option = event.target instanceof Element ? event.target.closest('li') : null;
      const page = option === null ? undefined : this.#pages[[...list.children].indexOf(option)];
      if (page !== undefined) this.#apply(page.target, page.title);
    });
    input.focus();
    input.select();
  }

  #showFields(): void {
    this.#parts.text.hidden = this.#parts.kind.value === 'link' || this.#target.asksForText !== true;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.form.remove();
  }

  #handleKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#close();
      this.#host.focus();
    } else if (event.key === 'ArrowDown') this.#select(this.#selected + 1);
    else if (event.key === 'ArrowUp') this.#select(this.#selected - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #select(index: number): void {
    this.#selected = Math.max(-1, Math.min(index, this.#pages.length - 1));
    for (const [each, option] of [...this.#parts.list.children].entries())
      option.setAttribute('aria-selected', String(each === this.#selected));
    const active = this.#selected < 0 ? '' : `editor-found-page-${this.#selected}`;
    this.#parts.input.setAttribute('aria-activedescendant', active);
  }

  get #typed(): string {
    return this.#parts.input.value.trim();
  }

  /** Whether the text in the field is used as it is, without a search. */
  get #isAddress(): boolean {
    const typed = this.#typed;
    return typed === '' || typed === this.#target.url || isAddress(typed) || this.#host.search === undefined;
  }

  async #find(): Promise<void> {
    const query = this.#typed;
    const pages = this.#isAddress ? [] : await this.#host.search?.(query).catch((): PageSuggestion[] => []);
    if (query !== this.#typed) return;
    this.#pages = (pages ?? []).slice(0, 8);
    this.#parts.list.replaceChildren(
      ...this.#pages.map(({ title, location }, index) =>
        createElement('li', { role: 'option', id: `editor-found-page-${index}`, 'aria-selected': 'false' }, [
          title,
          ...(location === undefined ? [] : [createElement('small', {}, [location])]),
        ]),
      ),
    );
    this.#parts.message.textContent = '';
    this.#parts.input.setAttribute('aria-expanded', String(this.#pages.length > 0));
    this.#select(-1);
  }

  /** Applies the selected page, the typed address, or the first page that is found with the typed text. */
  async #submit(): Promise<void> {
    const typed = this.#typed;
    await this.#search;
    if (this.#isClosed || typed !== this.#typed) return;
    const page = this.#pages[Math.max(0, this.#selected)];
    if (page !== undefined) this.#apply(page.target, page.title);
    else if (this.#isAddress || canBeAddress(typed)) this.#apply(toAddress(typed), undefined);
    else this.#parts.message.textContent = 'No page found';
  }

  #apply(url: string, title: string | undefined): void {
    const { apply, remove } = this.#target;
    this.#close();
    if (url === '') remove?.();
    else apply({ url, title, kind: this.#parts.kind.value, text: this.#parts.text.value.trim() });
    this.#host.focus();
  }
}
