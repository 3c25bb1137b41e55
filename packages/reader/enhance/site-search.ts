import { createOptions, type InstantResults } from './search-results.ts';

const debounceMilliseconds = 150;
const minLength = 2;

/**
 * Shows suggestions or results in a list below the search field while typing. The arrow keys select an option. Enter
 * opens the selected option, or the page with all results if no option is selected.
 */
export class SiteSearch extends HTMLElement {
  #input: HTMLInputElement | null = null;
  readonly #list = document.createElement('ul');
  readonly #noResults = document.createElement('p');
  #running: AbortController | undefined;
  #timer = 0;

  connectedCallback(): void {
    this.#input = this.querySelector('input');
    if (this.#input === null) return;
    this.#list.className = 'results';
    this.#list.id = '~search-results';
    this.#list.hidden = true;
    this.#list.setAttribute('role', 'listbox');
    this.#list.setAttribute('aria-label', this.#input.placeholder);
    this.#noResults.className = 'results none';
    this.#noResults.setAttribute('role', 'status');
    this.append(this.#list, this.#noResults);
    const hint = document.createElement('kbd');
    hint.textContent = '/';
    hint.setAttribute('aria-hidden', 'true');
    this.querySelector('form')?.append(hint);
    for (const [name, value] of [
      ['role', 'combobox'],
      ['aria-controls', this.#list.id],
      ['aria-expanded', 'false'],
      ['aria-autocomplete', 'list'],
    ] as const)
      this.#input.setAttribute(name, value);
    this.#input.addEventListener('input', () => {
      this.#stop();
      this.#select(undefined);
      this.#timer = window.setTimeout(() => this.#search(), debounceMilliseconds);
    });
    this.#input.addEventListener('keydown', (event) => this.#onKey(event));
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (!this.contains(relatedTarget as Node | null)) this.#close();
    });
    document.addEventListener('keydown', (event) => {
      const isField = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      const isShortcut = (event.key === '/' && !isField) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
      if (!isShortcut) return;
      event.preventDefault();
      this.#input?.focus();
    });
  }

  /** Cancels the scheduled search and the running search. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** Selects an option. If `selected` is undefined, no option is selected. */
  #select(selected: Element | undefined): void {
    for (const option of this.#list.querySelectorAll('[role=option]'))
      option.setAttribute('aria-selected', String(option === selected));
    if (selected === undefined) this.#input?.removeAttribute('aria-activedescendant');
    else this.#input?.setAttribute('aria-activedescendant', selected.id);
  }

  async #search(): Promise<void> {
    const words = this.#input?.value.trim() ?? '';
    if (words.length < minLength) return this.#close();
    const running = new AbortController();
    this.#running = running;
    try {
      const address = `${this.dataset.results}?q=${encodeURIComponent(words)}`;
      const response = await fetch(address, { signal: running.signal });
      if (response.ok) this.#show((await response.json()) as InstantResults, words);
    } catch (error) {
      if (!running.signal.aborted) throw error;
    }
  }

  #show(found: InstantResults, words: string): void {
    const { none = '', all = '' } = this.dataset;
    const items = createOptions(found, {
      href: `${this.querySelector('form')?.action}?q=${encodeURIComponent(words)}`,
      label: all.replace('{query}', () => words),
    });
    const isNone = items.length === 0;
    this.#noResults.textContent = isNone ? none.replace('{query}', () => words) : '';
    this.#list.replaceChildren(...items);
    this.#list.hidden = isNone;
    this.#input?.setAttribute('aria-expanded', String(!isNone));
    this.#input?.removeAttribute('aria-activedescendant');
  }

  #close(): void {
    this.#stop();
    this.#noResults.textContent = '';
    this.#list.hidden = true;
    this.#input?.setAttribute('aria-expanded', 'false');
    this.#input?.removeAttribute('aria-activedescendant');
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#close();
    const options = [...this.#list.querySelectorAll('[role=option]')];
    const index = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    if (event.key === 'Enter' && index >= 0 && !this.#list.hidden) {
      event.preventDefault();
      options[index]?.querySelector('a')?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    const next = options.at(Math.max(index + step, -1) % options.length);
    this.#select(next);
    next?.scrollIntoView({ block: 'nearest' });
  }
}
