import { type EditorState, Plugin, PluginKey, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import { findChoices, findPossibleBlocks } from './commands.ts';
import { createElement, focusText, placeBelow } from './dom.ts';
import type { EditorOptions, PageSuggestion } from './options.ts';

/** The text after `/` or `[[`, which filters the list. `dismissed` is the position of a trigger whose list was closed. */
interface Suggesting {
  kind: 'block' | 'page' | undefined;
  from: number;
  query: string;
  dismissed: number | undefined;
}

interface Choice {
  label: string;
  detail?: string | undefined;
  run: (view: EditorView) => void;
}

const key = new PluginKey<Suggesting>('suggestions');
const idle: Suggesting = { kind: undefined, from: 0, query: '', dismissed: undefined };
const maxQuery = 60;
const maxChoices = 30;

function findTrigger({ selection }: EditorState, dismissed: number | undefined): Suggesting {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code === true) return idle;
  const before = $from.parent.textBetween(
    Math.max(0, $from.parentOffset - maxQuery),
    $from.parentOffset,
    '\n',
    '\ufffc',
  );
  // A space after the slash ends the search, as in "and / or".
  const match =
    /(?:^|\s)(\/)((?:[\p{L}\p{N}][\p{L}\p{N} ]{0,29})?)$/u.exec(before) ?? /(\[\[)([^[\]\n]{0,50})$/.exec(before);
  if (match === null) return idle;
  const [, sign = '', query = ''] = match;
  const from = $from.pos - query.length - sign.length;
  if (from === dismissed) return { ...idle, dismissed };
  return { kind: sign === '/' ? 'block' : 'page', from, query, dismissed: undefined };
}

/** Lists the blocks after `/` and the pages after `[[`. */
export function createSuggestions({ searchPages }: EditorOptions): Plugin {
  let list: SuggestionList | undefined;
  return new Plugin<Suggesting>({
    key,
    state: {
      init: () => idle,
      apply(tr: Transaction, former, _before, state) {
        const dismissed = tr.getMeta(key) as number | undefined;
        if (dismissed !== undefined) return { ...idle, dismissed };
        const at = former.dismissed === undefined ? undefined : tr.mapping.map(former.dismissed);
        // A list opens only by typing, not by moving the cursor.
        return tr.docChanged || former.kind !== undefined || at !== undefined ? findTrigger(state, at) : idle;
      },
    },
    props: {
      handleKeyDown: (_view, event) => list?.handleKey(event) ?? false,
      handleDOMEvents: {
        blur: (view) => {
          list?.dismiss(view);
          return false;
        },
      },
      attributes: (state): Record<string, string> => {
        const isOpen = key.getState(state)?.kind !== undefined;
        return isOpen ? { 'aria-haspopup': 'listbox', 'aria-controls': 'editor-suggestions' } : {};
      },
    },
    view(view) {
      list = new SuggestionList(view, searchPages);
      return {
        update: (updated) => list?.update(updated),
        destroy: () => list?.destroy(),
      };
    },
  });
}

class SuggestionList {
  readonly #view: EditorView;
  readonly #element = createElement('ul', {
    class: 'editor-suggestions',
    role: 'listbox',
    id: 'editor-suggestions',
    'aria-label': 'Suggestions',
  });
  readonly #search: EditorOptions['searchPages'];
  #choices: Choice[] = [];
  #selected = 0;
  #shown = idle;
  #searches = 0;

  constructor(view: EditorView, search: EditorOptions['searchPages']) {
    this.#view = view;
    this.#search = search;
    this.#element.hidden = true;
    view.dom.parentElement?.append(this.#element);
    this.#element.addEventListener('mousedown', (event) => {
      event.preventDefault();
      const option = event.target instanceof Element ? event.target.closest('[role=option]') : null;
      if (option !== null) this.#choose([...this.#element.children].indexOf(option));
    });
  }

  destroy(): void {
    this.#element.remove();
  }

  update(view: EditorView): void {
    const now = key.getState(view.state) ?? idle;
    if (now.kind === this.#shown.kind && now.query === this.#shown.query && now.from === this.#shown.from) return;
    this.#shown = now;
    if (now.kind === 'block') this.#show(this.#findBlocks(now));
    else if (now.kind === 'page') void this.#findPages(now);
    else this.#show([]);
  }

  #findBlocks({ query, from }: Suggesting): Choice[] {
    return findChoices(findPossibleBlocks(this.#view.state), query).map(({ label, run }) => ({
      label,
      run: (view) => {
        view.dispatch(view.state.tr.delete(from, view.state.selection.from));
        run(view.state, view.dispatch, view);
      },
    }));
  }

  async #findPages({ query, from }: Suggesting): Promise<void> {
    this.#searches += 1;
    const search = this.#searches;
    const pages = await this.#search?.(query).catch((): PageSuggestion[] => []);
    if (search !== this.#searches || this.#shown.kind !== 'page') return;
    this.#show(
      (pages ?? []).map(({ title, target, location }) => ({
        label: title,
        detail: location,
        run: ({ state, dispatch }) => {
          const link = schema.mark('link', { data: { ref: { kind: 'url', url: target } } });
          dispatch(state.tr.replaceWith(from, state.selection.from, schema.text(title, [link])).removeStoredMark(link));
        },
      })),
    );
  }

  #show(choices: Choice[]): void {
    this.#choices = choices.slice(0, maxChoices);
    this.#selected = 0;
    this.#element.hidden = this.#choices.length === 0;
    this.#element.replaceChildren(
      ...this.#choices.map(({ label, detail }, index) =>
        createElement('li', { role: 'option', id: `editor-suggestion-${index}` }, [
          label,
          ...(detail === undefined ? [] : [createElement('small', {}, [detail])]),
        ]),
      ),
    );
    this.#mark();
    if (!this.#element.hidden) placeBelow(this.#element, this.#view.coordsAtPos(this.#shown.from));
  }

  #mark(): void {
    for (const [index, option] of [...this.#element.children].entries()) {
      option.setAttribute('aria-selected', String(index === this.#selected));
      if (index === this.#selected) option.scrollIntoView({ block: 'nearest' });
    }
    if (this.#element.hidden) this.#view.dom.removeAttribute('aria-activedescendant');
    else this.#view.dom.setAttribute('aria-activedescendant', `editor-suggestion-${this.#selected}`);
  }

  #choose(index: number): void {
    this.#choices[index]?.run(this.#view);
    focusText(this.#view);
  }

  dismiss({ state, dispatch }: EditorView): void {
    if (this.#shown.kind !== undefined) dispatch(state.tr.setMeta(key, this.#shown.from));
  }

  handleKey(event: KeyboardEvent): boolean {
    if (this.#element.hidden || event.isComposing) return false;
    const count = this.#choices.length;
    if (event.key === 'ArrowDown') this.#selected = (this.#selected + 1) % count;
    else if (event.key === 'ArrowUp') this.#selected = (this.#selected - 1 + count) % count;
    else if (event.key === 'Enter' || event.key === 'Tab') this.#choose(this.#selected);
    else if (event.key === 'Escape') this.dismiss(this.#view);
    else return false;
    this.#mark();
    return true;
  }
}
