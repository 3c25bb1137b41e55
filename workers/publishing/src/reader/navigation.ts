import type { Linked, NavigationNode } from '@octavo/reader';
import type { DocumentPage, Page, Revision } from '@octavo/schema';

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The pages of a space as the site shows them, found by id and by path. */
export class PageTree {
  readonly #byId = new Map<string, DocumentPage>();
  readonly #byPath = new Map<string, DocumentPage>();
  readonly #trails = new Map<string, Page[]>();
  readonly #order: DocumentPage[] = [];
  /** How many entries the whole navigation has. */
  #entries = 0;
  readonly #pages: Page[];
  /** The place of the space in the site: '' or ending in a slash. */
  readonly base: string;
  readonly home: DocumentPage | undefined;

  constructor({ pages }: Pick<Revision, 'pages'>, base: string) {
    this.#pages = pages;
    this.base = base;
    this.#read(pages, []);
    this.home = this.#order[0];
  }

  #read(pages: Page[], trail: Page[]): void {
    for (const page of pages) {
      const own = [...trail, page];
      this.#trails.set(page.id, own);
      this.#entries += 1;
      if (page.type === 'document') {
        this.#byId.set(page.id, page);
        this.#byPath.set(page.path, page);
        if (own.every((each) => each.hidden !== true)) this.#order.push(page);
      }
      if (page.type === 'document' || page.type === 'group') this.#read(page.pages, own);
    }
  }

  find = (id: string): DocumentPage | undefined => this.#byId.get(id);

  at(path: string): DocumentPage | undefined {
    if (path === '') return this.home;
    return this.#byPath.get(path);
  }

  /** The page and the part of it that a path leads to, where parts have pages of their own. */
  partAt(path: string): { page: DocumentPage; slug: string } | undefined {
    const cut = path.lastIndexOf('/');
    const page = this.#byPath.get(path.slice(0, Math.max(0, cut)));
    return page?.computed === undefined ? undefined : { page, slug: path.slice(cut + 1) };
  }

  /** The place of a part of a page in the site: no page is there, since they share their slugs. */
  partPlaceOf = (page: DocumentPage, slug: string): string => `${this.base}${encoded(`${page.path}/${slug}`)}`;

  /** The place of a page in the site. */
  placeOf = (page: DocumentPage): string => (page === this.home ? this.base : `${this.base}${encoded(page.path)}`);

  linked = (page: DocumentPage): Linked => {
    const { title, icon, emoji } = page;
    return { title, to: this.placeOf(page), icon, emoji };
  };

  #linked = (page: DocumentPage | undefined): Linked | undefined =>
    page === undefined ? undefined : this.linked(page);

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

  /** The documents that readers find by themselves, in their order. */
  get order(): readonly DocumentPage[] {
    return this.#order;
  }

  /** The navigation around a page, with its parts below it: of a large space, what is below what stands open alone. */
  around(current: DocumentPage | undefined, parts: NavigationNode[] = []): NavigationNode[] {
    const open = new Set((this.#trails.get(current?.id ?? '') ?? []).map(({ id }) => id));
    const isLarge = this.#entries > maxWhole;
    const nodes = (pages: Page[]): NavigationNode[] =>
      windowOf(
        pages.filter(({ hidden }) => hidden !== true),
        open,
      ).flatMap(node);
    const node = (page: Page): NavigationNode[] => {
      const { title, icon, emoji } = page;
      if (page.type === 'computed') return [];
      if (page.type === 'link')
        return page.href === undefined ? [] : [{ kind: 'link', title, icon, emoji, to: page.href, children: [] }];
      const isOpen = open.has(page.id);
      const children = isLarge && !isOpen ? [] : nodes(page.pages);
      if (page.type === 'group') {
        const first = isLarge && !isOpen ? this.#firstIn(page.pages) : undefined;
        return [{ kind: 'group', title, icon, emoji, isOpen, children, ...(first && { to: this.placeOf(first) }) }];
      }
      const isOwn = page === current;
      const isCurrent = isOwn && !parts.some((part) => part.isCurrent);
      const below = isOwn ? [...parts, ...children] : children;
      return [{ kind: 'page', title, icon, emoji, isOpen, isCurrent, to: this.placeOf(page), children: below }];
    };
    return nodes(this.#pages);
  }

  #firstIn(pages: Page[]): DocumentPage | undefined {
    for (const page of pages) {
      if (page.hidden === true) continue;
      const found = page.type === 'document' ? page : page.type === 'group' ? this.#firstIn(page.pages) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** So many pages of a space are all in the navigation; of more, those around the way to the page that is read. */
const maxWhole = 300;
/** Of one level, so many around the one that stands open. */
const maxLevel = 200;

function windowOf(pages: Page[], open: ReadonlySet<string>): Page[] {
  if (pages.length <= maxLevel) return pages;
  const at = Math.max(
    0,
    pages.findIndex(({ id }) => open.has(id)),
  );
  const start = Math.max(0, Math.min(at - maxLevel / 2, pages.length - maxLevel));
  return pages.slice(start, start + maxLevel);
}
