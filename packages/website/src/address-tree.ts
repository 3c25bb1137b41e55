import { createSlugAllocator, slugify } from '@octavo/markdown';
import { findFirstTitle, nameToSlug, nameToTitle } from '@octavo/outline';
import type { NavigationItem } from './navigation.ts';

/** A page of a website, or a group, in the tree of an import. Groups are only at the top level. */
export interface AddressNode {
  kind: 'page' | 'group';
  title: string;
  slug: string;
  /** The address of the page. A group has no address. */
  url?: string;
  children: AddressNode[];
}

/** The tree follows the site's navigation if it lists at least this share of the pages. */
const enough = 0.5;
const maxDepth = 20;

/**
 * Builds the tree of a site's pages. If the navigation lists most pages, the tree follows it, and each other page is
 * below the page that precedes it in its path. Otherwise the paths define the tree. `titles` are the pages' own titles
 * by address.
 */
export function createAddressTree(
  addresses: readonly string[],
  navigation: readonly NavigationItem[] = [],
  titles: ReadonlyMap<string, string> = new Map(),
): AddressNode[] {
  const builder = new Builder(addresses, titles);
  const roots = builder.hasNames(navigation) ? builder.buildFromNavigation(navigation) : builder.buildFromPaths();
  assignSlugs(roots);
  return roots;
}

class Builder {
  readonly #titles: ReadonlyMap<string, string>;
  readonly #addresses = new Map<string, string>();
  readonly #nodesByKey = new Map<string, AddressNode>();

  constructor(addresses: readonly string[], titles: ReadonlyMap<string, string>) {
    this.#titles = titles;
    for (const address of addresses) {
      const key = toAddressKey(address);
      if (key !== undefined && !this.#addresses.has(key)) this.#addresses.set(key, address);
    }
  }

  hasNames(navigation: readonly NavigationItem[]): boolean {
    const paths = new Set<string>();
    const collectPaths = (items: readonly NavigationItem[]): void => {
      for (const { url, children } of items) {
        const key = url === undefined ? undefined : toAddressKey(url);
        if (key !== undefined && this.#addresses.has(key)) paths.add(key);
        collectPaths(children);
      }
    };
    collectPaths(navigation);
    return paths.size > 1 && paths.size >= enough * this.#addresses.size;
  }

  buildFromNavigation(navigation: readonly NavigationItem[]): AddressNode[] {
    const roots: AddressNode[] = [];
    for (const item of navigation) {
      const page = this.#toPage(item);
      const children = this.#toPages(item.children, 1);
      if (page) roots.push({ ...page, children });
      else if (item.url === undefined && children.length > 0)
        roots.push(getGroup(findFirstTitle(item.title), children));
      else roots.push(...children);
    }
    for (const root of roots) this.#remember(root);
    this.#addRest(roots);
    return roots;
  }

  #toPages(items: readonly NavigationItem[], depth: number): AddressNode[] {
    return items.flatMap((item) => {
      const page = this.#toPage(item);
      const children = this.#toPages(item.children, depth + 1);
      if (!page) return children;
      return depth < maxDepth ? [{ ...page, children }] : [page, ...children];
    });
  }

  /**
   * Returns the page that a navigation item names. Undefined if an earlier item names this page, or if the item links
   * elsewhere.
   */
  #toPage({ url, title }: NavigationItem): AddressNode | undefined {
    const key = url === undefined ? undefined : toAddressKey(url);
    if (key === undefined || !this.#addresses.has(key) || this.#nodesByKey.has(key)) return undefined;
    const page = this.#createPage(key, title);
    this.#nodesByKey.set(key, page);
    return page;
  }

  #remember(node: AddressNode): void {
    const key = node.url === undefined ? undefined : toAddressKey(node.url);
    if (key !== undefined) this.#nodesByKey.set(key, node);
    for (const child of node.children) this.#remember(child);
  }

  /** Adds unlisted pages below the nearest page on their path, or at the end. */
  #addRest(roots: AddressNode[]): void {
    for (const key of this.#addresses.keys()) {
      if (this.#nodesByKey.has(key)) continue;
      const page = this.#createPage(key);
      this.#nodesByKey.set(key, page);
      let parentKey = key.replace(/\/[^/]*$/, '');
      while (parentKey.includes('/') && !this.#nodesByKey.has(parentKey)) parentKey = parentKey.replace(/\/[^/]*$/, '');
      const isRoot = !parentKey.includes('/');
      (isRoot ? roots : (this.#nodesByKey.get(parentKey)?.children ?? roots)).push(page);
    }
  }

  buildFromPaths(): AddressNode[] {
    const top = buildFolderTree(this.#addresses.keys());
    const topPages = top.key === undefined ? [] : [this.#createPage(top.key)];
    return [...topPages, ...[...top.folders].flatMap(([name, folder]) => this.#toTopNodes(name, folder))];
  }

  #toTopNodes(name: string, folder: Folder): AddressNode[] {
    const children = this.#toChildren(folder, 1);
    if (folder.key !== undefined) return [{ ...this.#createPage(folder.key), children }];
    return children.length > 0 ? [getGroup(nameToTitle(name), children)] : [];
  }

  /** Returns the pages below a folder. A folder without a page of its own is replaced by its pages. */
  #toChildren(folder: Folder, depth: number): AddressNode[] {
    return [...folder.folders.values()].flatMap((folder) => {
      const children = this.#toChildren(folder, depth + 1);
      if (folder.key === undefined) return children;
      const page = this.#createPage(folder.key);
      return depth < maxDepth ? [{ ...page, children }] : [page, ...children];
    });
  }

  #createPage(key: string, navigationTitle = ''): AddressNode {
    const url = this.#addresses.get(key) ?? key;
    const name = getLastSegment(key);
    const title = findFirstTitle(
      this.#titles.get(url) ?? '',
      navigationTitle,
      name === '' ? 'Home' : nameToTitle(name),
    );
    return { kind: 'page', title, slug: name === '' ? slugify(title) : nameToSlug(name), url, children: [] };
  }
}

const getGroup = (title: string, children: AddressNode[]): AddressNode => ({
  kind: 'group',
  title,
  slug: slugify(title),
  children,
});

function assignSlugs(siblings: AddressNode[]): void {
  const claim = createSlugAllocator();
  for (const node of siblings) {
    node.slug = claim(node.slug);
    assignSlugs(node.children);
  }
}

/** A folder of a site: its own page, if any, and its children in the order they were found. */
interface Folder {
  key?: string;
  folders: Map<string, Folder>;
}

const extension = /\.(?:html?|xhtml|php|aspx?|jsp|mdx?|markdown)$/i;
const index = /^(?:index|readme|default)$/i;
const maxSegments = 50;

/**
 * Returns the key that identifies the page of an address: host and path, without a final slash, index.html or a page's
 * file extension. Undefined for invalid addresses.
 */
function toAddressKey(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const last = parts.pop()?.replace(extension, '') ?? '';
  if (last !== '' && !index.test(last)) parts.push(last);
  return `${[url.host, ...parts].join('/')}${url.search}`;
}

/** Returns the last path segment of a key as a readable name, or an empty string for the root. */
function getLastSegment(key: string): string {
  const [path = '', ...query] = key.split('?');
  const name = path.split('/').slice(1).at(-1) ?? '';
  return decode([name, ...query].filter((part) => part !== '').join('-'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Builds the folder tree of keys. Leading folders that contain nothing but one other folder are removed. */
function buildFolderTree(keys: Iterable<string>): Folder {
  const root: Folder = { folders: new Map() };
  for (const key of keys) {
    let folder = root;
    for (const name of getNames(key)) {
      const next = folder.folders.get(name) ?? { folders: new Map() };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.key = key;
  }
  let top = root;
  for (;;) {
    const [onlyFolder, ...others] = top.folders.values();
    if (!onlyFolder || others.length > 0 || top.key !== undefined) return top;
    top = onlyFolder;
  }
}

function getNames(key: string): string[] {
  const [path = '', ...query] = key.split('?');
  const all = path.split('/').map(decode);
  const names = all.slice(0, maxSegments);
  if (all.length > maxSegments) names.push(all.slice(maxSegments).join('/'));
  if (query.length > 0) names.push(`${names.pop() ?? ''}?${query.join('?')}`);
  return names;
}
