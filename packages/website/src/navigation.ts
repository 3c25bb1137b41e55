import { type ResolveAddress, removeFragment } from './addresses.ts';
import {
  type Content,
  createTextNode,
  type Element,
  getAttribute,
  getChildElements,
  getClasses,
  getElements,
  getLine,
  isElement,
  type Root,
} from './html-tree.ts';

/** An entry of the site's page tree. An entry without an address is a group title. */
export interface NavigationItem {
  title: string;
  url?: string;
  children: NavigationItem[];
}

const maxItems = 5000;
const maxDepth = 20;
const minPages = 3;
const maxCandidates = 40;
const names = new Set(
  'sidebar side-nav sidenav toctree-wrapper toctree menu summary book-summary docs-sidebar nav-list chapter vpsidebar wy-menu bd-sidebar site-nav table-of-contents toc'.split(
    ' ',
  ),
);
const lists = new Set(['ul', 'ol', 'menu']);

interface Site {
  resolve: ResolveAddress;
  url: string;
}

interface Lists extends Site {
  holders: ReadonlySet<Element>;
}

/** Returns the page tree of a site, from the list with the most pages. Empty if there is none. */
export function getNavigation(tree: Root, site: Site): NavigationItem[] {
  let best: { items: NavigationItem[]; score: number } | undefined;
  const holders = findListHolders(tree);
  let candidates = 0;
  for (const node of getElements(tree)) {
    if (!isCandidate(node)) continue;
    candidates += 1;
    if (candidates > maxCandidates) break;
    const reader = new Reader({ ...site, holders });
    const items = reader.readItems(node, 0);
    const pages = reader.addresses.size;
    const score = pages + (items.some(({ children }) => children.length > 0) ? pages / 2 : 0);
    if (pages >= minPages && score > (best?.score ?? 0)) best = { items, score };
  }
  return best?.items ?? [];
}

function isCandidate(node: Element): boolean {
  if (node.tagName === 'nav' || node.tagName === 'aside' || getAttribute(node, 'role') === 'navigation') return true;
  const id = getAttribute(node, 'id')?.toLowerCase() ?? '';
  return names.has(id) || getClasses(node).some((name) => names.has(name));
}

class Reader {
  readonly addresses = new Set<string>();
  readonly #site: Lists;
  #count = 0;

  constructor(site: Lists) {
    this.#site = site;
  }

  /** Returns the items of the lists below an element. A heading before a list is a group title. */
  readItems(parent: Element, depth: number): NavigationItem[] {
    if (lists.has(parent.tagName)) return this.#readEntries(parent, depth);
    const items: NavigationItem[] = [];
    let heading = '';
    for (const child of parent.children.filter(isElement)) {
      if (depth > maxDepth || this.#count > maxItems) break;
      if (lists.has(child.tagName)) {
        const entries = this.#readEntries(child, depth + 1);
        if (heading !== '' && entries.length > 0) items.push({ title: heading, children: entries });
        else items.push(...entries);
        heading = '';
      } else if (this.#site.holders.has(child)) {
        const nested = this.readItems(child, depth + 1);
        if (heading !== '' && nested.length > 0) items.push({ title: heading, children: nested });
        else items.push(...nested);
        heading = '';
      } else if (isHeading(child)) heading = getLine(child).slice(0, 200);
    }
    return items;
  }

  #readEntries(list: Element, depth: number): NavigationItem[] {
    const items: NavigationItem[] = [];
    for (const child of list.children.filter(isElement)) {
      if (depth > maxDepth || this.#count > maxItems) break;
      const isItem = child.tagName === 'li';
      const item = isItem ? this.#readItem(child) : undefined;
      const children = this.#readBelow(child, depth + 1);
      if (item) items.push({ ...item, children });
      else (items.at(-1)?.children ?? items).push(...children);
    }
    return items;
  }

  /** Returns the items of the lists in an item. The item's own text is not a group title. */
  #readBelow(node: Element, depth: number): NavigationItem[] {
    if (lists.has(node.tagName)) return this.#readEntries(node, depth);
    if (depth > maxDepth) return [];
    return getChildElements(node).flatMap((child) =>
      this.#site.holders.has(child) || lists.has(child.tagName) ? this.#readBelow(child, depth + 1) : [],
    );
  }

  /** Returns the text and link of an item before its nested lists. */
  #readItem(item: Element): NavigationItem | undefined {
    const ownContent = removeLists(item);
    const link = [...getElements(ownContent)].find((node) => node.tagName === 'a' && getLine(node) !== '');
    const title = getLine(link ?? ownContent).slice(0, 200);
    if (title === '') return undefined;
    this.#count += 1;
    const address = link && this.#getPage(getAttribute(link, 'href'));
    return { title, ...(address !== undefined && { url: address }), children: [] };
  }

  #getPage(href: string | undefined): string | undefined {
    const address = this.#site.resolve(href);
    if (address === undefined || href?.startsWith('#')) return undefined;
    const page = removeFragment(address);
    if (new URL(page).origin === new URL(this.#site.url).origin) this.addresses.add(page);
    return page;
  }
}

/** Returns the elements that contain a list at any depth. */
function findListHolders(tree: Root): Set<Element> {
  const holders = new Set<Element>();
  const collectListHolders = (node: Element): boolean => {
    let holdsList = false;
    for (const child of getChildElements(node))
      if (collectListHolders(child) || lists.has(child.tagName)) holdsList = true;
    if (holdsList) holders.add(node);
    return holdsList;
  };
  for (const child of getChildElements(tree)) collectListHolders(child);
  return holders;
}

const isHeading = (node: Element): boolean =>
  /^(?:h[1-6]|p|span|summary|label|strong)$/.test(node.tagName) ||
  getClasses(node).some((name) => /caption|title|heading/.test(name));

const isDecoration = (node: Element): boolean =>
  node.tagName === 'svg' || node.tagName === 'button' || getAttribute(node, 'ariaHidden') === 'true';

function removeLists(node: Element): Element {
  const strip = (child: Content): Element['children'] => {
    if (child.type === 'text') return [createTextNode(child.value)];
    if (!isElement(child) || lists.has(child.tagName) || isDecoration(child)) return [];
    return [{ ...child, children: child.children.flatMap(strip) }];
  };
  return { ...node, children: node.children.flatMap(strip) };
}
