let made = 0;

/** Shows one of its sections at a time, by a row of tabs; those of the same title in other sets follow. */
export class TabSet extends HTMLElement {
  #sections: HTMLElement[] = [];
  #tabs: HTMLButtonElement[] = [];

  connectedCallback(): void {
    this.#sections = [...this.children].filter((child) => child instanceof HTMLElement);
    if (this.#sections.length === 0) return;
    const list = document.createElement('div');
    list.className = 'tab-list';
    list.setAttribute('role', 'tablist');
    this.#tabs = this.#sections.map((section) => this.#tabOf(section));
    list.append(...this.#tabs);
    this.prepend(list);
    this.#select(0);
    list.addEventListener('keydown', (event) => this.#move(event));
    document.addEventListener('octavo-tab', (event) => {
      const found = this.#tabs.findIndex(({ title }) => title === (event as CustomEvent<string>).detail);
      if (found >= 0) this.#select(found);
    });
    this.#showTarget();
    window.addEventListener('hashchange', () => this.#showTarget());
  }

  #tabOf(section: HTMLElement): HTMLButtonElement {
    made += 1;
    const tab = document.createElement('button');
    const { title = '' } = section.dataset;
    Object.assign(tab, { type: 'button', id: `~tab-${made}`, title });
    tab.replaceChildren(...(section.querySelector('.tab-title')?.childNodes ?? []));
    section.querySelector('.tab-title')?.remove();
    section.id ||= `~panel-${made}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', section.id);
    section.setAttribute('role', 'tabpanel');
    section.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => {
      document.dispatchEvent(new CustomEvent('octavo-tab', { detail: title }));
      this.#select(this.#tabs.indexOf(tab));
    });
    return tab;
  }

  #select(chosen: number): void {
    for (const [index, tab] of this.#tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
      this.#sections[index]?.toggleAttribute('hidden', index !== chosen);
    }
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = this.#tabs.findIndex((tab) => tab === document.activeElement);
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    next?.focus();
    next?.click();
    event.preventDefault();
  }

  /** What the address names may be in a section that is not shown. */
  #showTarget(): void {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const found = this.#sections.findIndex((section) => target !== null && section.contains(target));
    if (found < 0) return;
    this.#select(found);
    target?.scrollIntoView();
  }
}
