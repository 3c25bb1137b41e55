import fc from 'fast-check';

/** A page of the model. Its address is made of its slug and those of its ancestors. */
interface ModelPage {
  parent: string;
  slug: string;
  isHidden?: boolean;
}

export const pageStep = fc.record({
  kind: fc.constantFrom('insert', 'edit', 'rename', 'rename', 'move', 'move', 'delete', 'hide', 'hide'),
  page: fc.nat(),
  parent: fc.nat(),
  slug: fc.constantFrom('a', 'b', 'c'),
  isMerged: fc.boolean(),
});
export type PageStep = typeof pageStep extends fc.Arbitrary<infer Value> ? Value : never;

export class PageModel {
  readonly pages = new Map<string, ModelPage>();
  /** All pages that ever had an address, with the time at which they last had it, by address. */
  readonly holders = new Map<string, Map<string, number>>();
  #now = 0;

  getPath(id: string): string {
    const { parent = '', slug = '' } = this.pages.get(id) ?? {};
    return parent === '' ? slug : `${this.getPath(parent)}/${slug}`;
  }

  isBelow(id: string, above: string): boolean {
    return id === above || (id !== '' && this.isBelow(this.pages.get(id)?.parent ?? '', above));
  }

  /** Whether visitors can see a page: it exists, and neither it nor an ancestor is hidden. */
  isShown(id: string): boolean {
    const page = this.pages.get(id);
    return page !== undefined && page.isHidden !== true && (page.parent === '' || this.isShown(page.parent));
  }

  /** Returns the visible page at a path. */
  findShownPage(path: string): string | undefined {
    return [...this.pages.keys()].find((id) => this.isShown(id) && this.getPath(id) === path);
  }

  isFree({ parent, slug }: ModelPage, but?: string): boolean {
    return ![...this.pages].some(([id, page]) => id !== but && page.parent === parent && page.slug === slug);
  }

  note(): void {
    this.#now += 1;
    for (const id of this.pages.keys()) {
      const path = this.getPath(id);
      this.holders.set(path, (this.holders.get(path) ?? new Map<string, number>()).set(id, this.#now));
    }
  }

  /**
   * Returns the page that an address resolves to: the current one, or else the last one that had the address and is
   * still visible.
   */
  getExpectedPage(path: string): { page: string; isOld: boolean } | undefined {
    const present = this.findShownPage(path);
    if (present !== undefined) return { page: present, isOld: false };
    const left = [...(this.holders.get(path) ?? [])].filter(([id]) => this.isShown(id));
    const [last] = left.toSorted(([, one], [, other]) => other - one);
    return last && { page: last[0], isOld: true };
  }
}

/** Returns a step's change to the content and to the model, or undefined if the step has no effect. */
export function getChange(model: PageModel, { kind, page: index, parent: under, slug }: PageStep) {
  const ids = [...model.pages.keys()];
  const id = ids[index % Math.max(1, ids.length)];
  const parent = ['', ...ids][under % (ids.length + 1)] ?? '';
  if (kind === 'insert' || id === undefined) {
    if (!model.isFree({ parent, slug }) || ids.length > 7) return undefined;
    const into = parent === '' ? {} : { into: parent };
    const change = { operation: 'insert_page', title: slug, slug, document: { markdown: slug }, ...into };
    return { change, apply: (id: string) => model.pages.set(id, { parent, slug }) };
  }
  const page = model.pages.get(id) ?? { parent: '', slug: '' };
  const update = { operation: 'update_page', page: id };
  if (kind === 'edit') return { change: { ...update, document: { markdown: `${index}` } }, apply: () => undefined };
  if (kind === 'hide') {
    const isHidden = page.isHidden !== true;
    const condition = isHidden ? 'visitor.claims.unsigned.staff' : '';
    return { change: { ...update, condition }, apply: () => model.pages.set(id, { ...page, isHidden }) };
  }
  if (kind === 'delete') {
    const gone = ids.filter((each) => model.isBelow(each, id));
    return {
      change: { operation: 'delete_page', page: id },
      apply: () => gone.map((each) => model.pages.delete(each)),
    };
  }
  const next = kind === 'rename' ? { ...page, slug } : { ...page, parent };
  if (!model.isFree(next, id) || (kind === 'move' && model.isBelow(parent, id))) return undefined;
  const moved = kind === 'rename' ? { slug } : { into: parent === '' ? null : parent };
  return { change: { ...update, ...moved }, apply: () => model.pages.set(id, next) };
}
