import type { Page } from '@octavo/schema';

/** The height of a row in pixels. The styles use it too. */
export const rowHeight = 30;

/** Returns the pages in a page. */
export const getChildren = (page: Page): Page[] => ('pages' in page ? page.pages : []);

/** The page tree of a space, a change request or a revision. */
export interface SpacePages {
  roots: Page[];
  byId: ReadonlyMap<string, Page>;
  parents: ReadonlyMap<string, Page>;
}

/** Indexes a tree of pages by their ids. */
export function indexPages(roots: Page[]): SpacePages {
  const byId = new Map<string, Page>();
  const parents = new Map<string, Page>();
  const waiting = [...roots];
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    byId.set(page.id, page);
    for (const child of getChildren(page)) {
      parents.set(child.id, page);
      waiting.push(child);
    }
  }
  return { roots, byId, parents };
}

/** A visible row of the page tree. */
export interface TreeRow {
  page: Page;
  level: number;
  /** The position among its siblings, from 1, and their number. */
  position: number;
  siblings: number;
  isExpandable: boolean;
  isExpanded: boolean;
}

/** Returns the rows of all pages whose ancestors are expanded. */
export function listRows(pages: Page[], expanded: ReadonlySet<string>, level = 1, rows: TreeRow[] = []): TreeRow[] {
  for (const [index, page] of pages.entries()) {
    const children = getChildren(page);
    const isExpandable = children.length > 0;
    const isExpanded = isExpandable && expanded.has(page.id);
    rows.push({ page, level, position: index + 1, siblings: pages.length, isExpandable, isExpanded });
    if (isExpanded) listRows(children, expanded, level + 1, rows);
  }
  return rows;
}

/** The result of a key: another active row, or a row to expand or to collapse. */
export type TreeAction = { focus: number } | { toggle: string } | undefined;

function findParent(rows: TreeRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at -= 1) if ((rows[at]?.level ?? level) < level) return at;
  return index;
}

function findByLetter(rows: TreeRow[], index: number, letter: string): number {
  const order = [...rows.keys()].map((offset) => (index + 1 + offset) % rows.length);
  const matchesLetter = (at: number) => rows[at]?.page.title.toLowerCase().startsWith(letter.toLowerCase()) === true;
  return order.find(matchesLetter) ?? index;
}

/** Returns the action of a key, as defined by the tree view pattern of the ARIA Authoring Practices Guide. */
export function handleTreeKey(rows: TreeRow[], index: number, key: string): TreeAction {
  const row = rows[index];
  if (row === undefined) return undefined;
  const last = rows.length - 1;
  if (key === 'ArrowDown') return { focus: Math.min(index + 1, last) };
  if (key === 'ArrowUp') return { focus: Math.max(index - 1, 0) };
  if (key === 'Home') return { focus: 0 };
  if (key === 'End') return { focus: last };
  if (key === 'ArrowRight' && row.isExpandable) return row.isExpanded ? { focus: index + 1 } : { toggle: row.page.id };
  if (key === 'ArrowLeft') return row.isExpanded ? { toggle: row.page.id } : { focus: findParent(rows, index) };
  return /^[\p{L}\p{N}]$/u.test(key) ? { focus: findByLetter(rows, index, key) } : undefined;
}
