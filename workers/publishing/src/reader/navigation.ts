import type { Linked, NavigationNode } from '@octavo/reader';
import type { DocumentPage, Page, Revision } from '@octavo/schema';

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The pages of a space as the site shows them, found by id and by path. */
export class PageTree {
  readonly #byId = new Map<string, DocumentPage>();
  readonly #trails = new Map<string, Page[]>();
  readonly #order: DocumentPage[] = [];
  readonly #pages: Page[];
  readonly #base: string;
  readonly home: DocumentPage | undefined;

  /** `base` is the place of the space in the site: '' or ending in a slash. */
  constructor({ pages }: Pick<Revision, 'pages'>, base: string) {
    this.#pages = pages;
    this.#base = base;
    this.#read(pages, []);
    this.home = this.#order[0];
  }

  #read(pages: Page[], trail: Page[]): void {
    for (const page of pages) {
      const own = [...trail, page];
      this.#trails.set(page.id, own);
      if (page.type === 'document') {
        this.#byId.set(page.id, page);
        if (own.every((each) => each.hidden !== true)) this.#order.push(page);
      }
      if (page.type === 'document' || page.type === 'group') this.#read(page.pages, own);
    }
  }

  find = (id: string): DocumentPage | undefined => this.#byId.get(id);

  at(path: string): DocumentPage | undefined {
    if (path === '') return this.home;
    return [...this.#byId.values()].find((page) => page.path === path);
  }

  /** The place of a page in the site. */
  placeOf = (page: DocumentPage): string => (page === this.home ? this.#base : `${this.#base}${encoded(page.path)}`);

  #linked = (page: DocumentPage | undefined): Linked | undefined =>
    page === undefined ? undefined : { title: page.title, to: this.placeOf(page), icon: page.icon, emoji: page.emoji };

  /** The page before and the one behind, in reading order. */
  neighboursOf(page: DocumentPage): [Linked | undefined, Linked | undefined] {
    const at = this.#order.indexOf(page);
    return at < 0 ? [undefined, undefined] : [this.#linked(this.#order[at - 1]), this.#linked(this.#order[at + 1])];
  }

  /** What the page stands under. */
  breadcrumbsOf = (page: DocumentPage): Linked[] =>
    (this.#trails.get(page.id) ?? []).slice(0, -1).flatMap((each) => {
      const found = each.type === 'document' ? this.#linked(each) : undefined;
      return found === undefined ? [] : [found];
    });

  /** The navigation around a page. */
  around(current: DocumentPage): NavigationNode[] {
    const open = new Set((this.#trails.get(current.id) ?? []).map(({ id }) => id));
    const nodes = (pages: Page[]): NavigationNode[] =>
      pages.flatMap((page) => (page.hidden === true ? [] : node(page)));
    const node = (page: Page): NavigationNode[] => {
      const { title, icon, emoji } = page;
      const isOpen = open.has(page.id);
      if (page.type === 'computed') return [];
      if (page.type === 'link')
        return page.href === undefined ? [] : [{ kind: 'link', title, icon, emoji, to: page.href, children: [] }];
      const children = nodes(page.pages);
      if (page.type === 'group') return [{ kind: 'group', title, icon, emoji, isOpen, children }];
      const isCurrent = page === current;
      return [{ kind: 'page', title, icon, emoji, isOpen, isCurrent, to: this.placeOf(page), children }];
    };
    return nodes(this.#pages);
  }
}
