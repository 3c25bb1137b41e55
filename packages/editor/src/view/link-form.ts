import type { Mark } from 'prosemirror-model';
import { type EditorState, Plugin, PluginKey, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import { createElement, placeBelow } from './dom.ts';
import type { EditorOptions, PageSuggestion } from './options.ts';

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

interface TargetForm {
  label: string;
  /** The position in the text below which the form is shown. */
  position: number;
  url: string;
  /** The chosen kind of link. Without one, the form offers no kinds. */
  kind?: string;
  /** Whether the form asks for the text of a button. */
  asksForText?: boolean;
  apply: (target: ChosenTarget) => void;
  /** Removes the link. Without it, the form has no button for that. */
  remove?: (() => void) | undefined;
}

interface LinkRange {
  from: number;
  to: number;
  mark: Mark | undefined;
}

/** Returns the range of the link or button at the cursor, or the selection. */
function findLink({ selection, doc }: EditorState): LinkRange {
  const { from, to, $from } = selection;
  const isLink = ({ type }: Mark) => type === schema.marks.link || type === schema.marks.button;
  const mark = ($from.nodeAfter ?? $from.nodeBefore)?.marks.find(isLink) ?? $from.marks().find(isLink);
  if (mark === undefined) return { from, to, mark };
  let [start, end] = [from, to];
  const hasLink = (position: number) => doc.resolve(position).nodeAfter?.marks.some((each) => each.eq(mark)) === true;
  while (start > $from.start() && hasLink(start - 1)) start -= 1;
  while (end < $from.end() && hasLink(end)) end += 1;
  return { from: start, to: end, mark };
}

const getUrl = (mark: Mark | undefined): string => {
  const { ref } = (mark?.attrs.data ?? {}) as { ref?: { url?: unknown } };
  return typeof ref?.url === 'string' ? ref.url : '';
};

const kinds = [
  ['link', 'Link'],
  ['primary', 'Button'],
  ['secondary', 'Secondary button'],
] as const;

/** Returns the kind of a link. Buttons of other kinds are drawn like primary ones. */
const getKind = (mark: Mark): string => {
  if (mark.type === schema.marks.link) return 'link';
  return (mark.attrs.data as { kind?: unknown }).kind === 'secondary' ? 'secondary' : 'primary';
};

/**
 * Opens a form that sets the target of a link or button: an address, or a page that is found by its title. Others can
 * change the text while the form is open, so the link is found again at the end.
 */
export function openLinkForm(view: EditorView, newKind = 'link'): void {
  const { from, mark } = findLink(view.state);
  openTargetForm(view, {
    label: 'Link',
    asksForText: showsAddress(view.state),
    position: from,
    url: getUrl(mark),
    kind: mark === undefined ? newKind : getKind(mark),
    apply: (target) => view.dispatch(setLink(view.state, target)),
    ...(mark !== undefined && { remove: () => view.dispatch(removeLink(view.state)) }),
  });
}

function removeLink(state: EditorState): Transaction {
  const { from, to, mark } = findLink(state);
  return mark === undefined ? state.tr : state.tr.removeMark(from, to, mark);
}

/** Whether there is no text for a link, or only its address, for example of a card. */
function showsAddress(state: EditorState): boolean {
  const { from, to, mark } = findLink(state);
  return from === to || state.doc.textBetween(from, to) === getUrl(mark);
}

/** The text of a button without another one. Its address says nothing to readers. */
const defaultButtonText = 'Button';

/** Returns a transaction that turns the selected text into a link or button, or changes the one at the cursor. */
export function setLink(state: EditorState, { url, title, kind, text }: ChosenTarget): Transaction {
  const { from, to, mark } = findLink(state);
  const { tr } = state;
  if (mark !== undefined) tr.removeMark(from, to, mark);
  const { kind: formerKind, ...former } = (mark?.attrs.data ?? {}) as Record<string, unknown>;
  const isSameKind = mark !== undefined && getKind(mark) === kind;
  const data = { ...former, ref: { kind: 'url', url } };
  const link =
    kind === 'link'
      ? schema.mark('link', { data })
      : schema.mark('button', { data: { ...data, kind: isSameKind ? formerKind : kind } });
  if (!showsAddress(state)) return tr.addMark(from, to, link);
  const shown = kind === 'link' ? (title ?? url) : text || title || defaultButtonText;
  return tr.replaceWith(from, to, schema.text(shown, [link]));
}

/** Opens a form for a target. An empty target removes the link. */
export function openTargetForm(view: EditorView, target: TargetForm): void {
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
    ...[input, kind, text, apply, remove, list],
  ]);
  new LinkForm(view, target, { form, input, kind, text, list, remove });
}

interface Parts {
  form: HTMLFormElement;
  input: HTMLInputElement;
  kind: HTMLSelectElement;
  text: HTMLInputElement;
  list: HTMLUListElement;
  remove: HTMLButtonElement;
}

class LinkForm {
  readonly #view: EditorView;
  readonly #target: TargetForm;
  readonly #parts: Parts;
  #pages: PageSuggestion[] = [];
  #selected = -1;
  #searches = 0;
  #isClosed = false;

  constructor(view: EditorView, target: TargetForm, parts: Parts) {
    this.#view = view;
    this.#target = target;
    this.#parts = parts;
    const { form, input, kind, list, remove } = parts;
    this.#showFields();
    kind.addEventListener('change', () => this.#showFields());
    view.dom.parentElement?.append(form);
    placeBelow(form, view.coordsAtPos(target.position));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const page = this.#pages[this.#selected];
      this.#apply(page?.target ?? input.value.trim(), page?.title);
    });
    form.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) this.#close();
    });
    form.addEventListener('keydown', (event) => this.#handleKey(event));
    input.addEventListener('input', () => void this.#find());
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
      this.#view.focus();
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

  async #find(): Promise<void> {
    this.#searches += 1;
    const search = this.#searches;
    const query = this.#parts.input.value.trim();
    const isAddress = query === '' || /^(?:[a-z]+:|[/.#])/.test(query);
    const pages = isAddress
      ? []
      : await searchKey
          .getState(this.#view.state)?.(query)
          .catch((): PageSuggestion[] => []);
    if (search !== this.#searches) return;
    this.#pages = (pages ?? []).slice(0, 8);
    this.#parts.list.replaceChildren(
      ...this.#pages.map(({ title, location }, index) =>
        createElement('li', { role: 'option', id: `editor-found-page-${index}`, 'aria-selected': 'false' }, [
          title,
          ...(location === undefined ? [] : [createElement('small', {}, [location])]),
        ]),
      ),
    );
    this.#parts.input.setAttribute('aria-expanded', String(this.#pages.length > 0));
    this.#select(-1);
  }

  #apply(url: string, title: string | undefined): void {
    const { apply, remove } = this.#target;
    this.#close();
    if (url === '') remove?.();
    else apply({ url, title, kind: this.#parts.kind.value, text: this.#parts.text.value.trim() });
    this.#view.focus();
  }
}
