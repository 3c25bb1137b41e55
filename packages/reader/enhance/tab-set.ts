import { findFragmentTarget } from './open-target.ts';

const key = 'octavo-tabs';
const maxTitles = 10;
let tabSetCount = 0;

/** Returns the tab titles that the reader selected most recently. */
function readSelectedTitles(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}

function saveSelectedTab(title: string): void {
  try {
    const titles = [title, ...readSelectedTitles().filter((each) => each !== title)];
    localStorage.setItem(key, JSON.stringify(titles.slice(0, maxTitles)));
  } catch {
    // If the browser stores nothing, the choice applies only to this page.
  }
}

/**
 * A set of tabs that shows one panel at a time. Selecting a tab also selects tabs with the same title in other sets.
 */
export class TabSet extends HTMLElement {
  #sections: HTMLElement[] = [];
  #tabs: HTMLButtonElement[] = [];

  connectedCallback(): void {
    this.#sections = [...this.children].filter((child) => child instanceof HTMLElement);
    if (this.#sections.length === 0) return;
    const list = document.createElement('div');
    list.className = 'tab-list';
    list.setAttribute('role', 'tablist');
    this.#tabs = this.#sections.map((section) => this.#getTab(section));
    list.append(...this.#tabs);
    this.prepend(list);
    const indexes = readSelectedTitles().map((title) => this.#indexOf(title));
    this.#select(indexes.find((index) => index >= 0) ?? 0);
    list.addEventListener('keydown', (event) => this.#move(event));
    document.addEventListener('octavo-tab', (event) => {
      const index = this.#indexOf((event as CustomEvent<string>).detail);
      if (index >= 0) this.#select(index);
    });
    this.#showTarget();
    window.addEventListener('hashchange', () => this.#showTarget());
  }

  #indexOf = (title: string): number => this.#sections.findIndex(({ dataset }) => dataset.title === title);

  #getTab(section: HTMLElement): HTMLButtonElement {
    tabSetCount += 1;
    const tab = document.createElement('button');
    const { title = '' } = section.dataset;
    Object.assign(tab, { type: 'button', id: `~tab-${tabSetCount}` });
    tab.replaceChildren(...(section.querySelector('.tab-title')?.childNodes ?? []));
    section.querySelector('.tab-title')?.remove();
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', section.id);
    section.setAttribute('role', 'tabpanel');
    section.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => {
      const before = tab.getBoundingClientRect().top;
      document.dispatchEvent(new CustomEvent('octavo-tab', { detail: title }));
      this.#select(this.#tabs.indexOf(tab));
      saveSelectedTab(title);
      history.replaceState(history.state, '', `#${encodeURIComponent(section.id)}`);
      // Tab sets above this one may have changed their height, so keep the selected tab at the same position in the
      // window.
      window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
    });
    return tab;
  }

  #select(chosenIndex: number): void {
    for (const [index, tab] of this.#tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosenIndex));
      tab.tabIndex = index === chosenIndex ? 0 : -1;
      this.#sections[index]?.toggleAttribute('hidden', index !== chosenIndex);
    }
  }

  #move(event: KeyboardEvent): void {
    const forward = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    const index = this.#tabs.findIndex(({ id }) => id === document.activeElement?.id);
    const to: Record<string, number> = {
      ...{ ArrowRight: index + forward, ArrowLeft: index - forward },
      ...{ Home: 0, End: -1 },
    };
    const next = to[event.key];
    if (next === undefined) return;
    const tab = this.#tabs.at(next % this.#tabs.length);
    tab?.focus();
    tab?.click();
    event.preventDefault();
  }

  /** Selects the tab whose panel is or contains the target of the URL fragment. */
  #showTarget(): void {
    const target = findFragmentTarget();
    const index = this.#sections.findIndex((section) => target !== null && section.contains(target));
    if (index < 0) return;
    this.#select(index);
    target?.scrollIntoView();
  }
}
