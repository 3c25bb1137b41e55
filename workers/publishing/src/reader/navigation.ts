import type { NavigationNode, ResolvedReference, ResolveReference, ShownDocument, TitledLink } from '@octavo/reader';
import { shortenAddress } from '@octavo/reader';
import type { Steps } from '@octavo/runtime';
import { mapInSlices, runInSlices } from '@octavo/runtime';
import type { DocumentPage, File, Page, PublishedSite, Revision, SiteSpace, SpaceId } from '@octavo/schema';
import type { SiteApi } from './site-visit.ts';

/** Encodes the segments of a path. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The pages of a space in a site, by id and by path. */
export class PageTree {
  readonly #byId = new Map<string, DocumentPage>();
  readonly #byPath = new Map<string, DocumentPage>();
  readonly #trails = new Map<string, Page[]>();
  readonly #order: DocumentPage[] = [];
  /** The navigation nodes of entries that are not open, by page id. All pages of the space share these objects. */
  readonly #closedNodes = new Map<string, NavigationNode[]>();
  /** The number of entries in the whole navigation. */
  #entries = 0;
  readonly #pages: Page[];
  /** The path of the space in the site: '' or with a trailing slash. */
  readonly base: string;

  private constructor(pages: Page[], base: string) {
    this.#pages = pages;
    this.base = base;
  }

  static async create({ pages }: Pick<Revision, 'pages'>, base: string): Promise<PageTree> {
    const tree = new PageTree(pages, base);
    await runInSlices(tree.#read(pages, []));
    return tree;
  }

  get home(): DocumentPage | undefined {
    return this.#order[0];
  }

  *#read(pages: Page[], trail: Page[]): Steps<void> {
    for (const page of pages) {
      yield;
      const pageTrail = [...trail, page];
      this.#trails.set(page.id, pageTrail);
      this.#entries += 1;
      if (page.type === 'document') {
        this.#byId.set(page.id, page);
        this.#byPath.set(page.path, page);
        if (pageTrail.every((each) => each.hidden !== true)) this.#order.push(page);
      }
      if (page.type === 'document' || page.type === 'group') yield* this.#read(page.pages, pageTrail);
    }
  }

  find = (id: string): DocumentPage | undefined => this.#byId.get(id);

  findPage(path: string): DocumentPage | undefined {
    if (path === '') return this.home;
    return this.#byPath.get(path);
  }

  /** Finds the generated page and the part at a path. */
  findPart(path: string): { page: DocumentPage; slug: string } | undefined {
    const slashIndex = path.lastIndexOf('/');
    const page = this.#byPath.get(path.slice(0, Math.max(0, slashIndex)));
    return page?.computed === undefined ? undefined : { page, slug: path.slice(slashIndex + 1) };
  }

  /** Returns the path of a part in the site. No page has the same path, since parts and pages share their slugs. */
  getPartPath = (page: DocumentPage, slug: string): string => `${this.base}${encodePath(`${page.path}/${slug}`)}`;

  /** Returns the path of a page in the site. */
  getPath = (page: DocumentPage): string => (page === this.home ? this.base : `${this.base}${encodePath(page.path)}`);

  toLink = (page: DocumentPage): TitledLink => {
    const { title, icon, emoji } = page;
    return { title, to: this.getPath(page), icon, emoji };
  };

  #toLink = (page: DocumentPage | undefined): TitledLink | undefined =>
    page === undefined ? undefined : this.toLink(page);

  /** Returns the previous and the next page in reading order. */
  getNeighbors(page: DocumentPage): [TitledLink | undefined, TitledLink | undefined] {
    const index = this.#order.indexOf(page);
    return index < 0
      ? [undefined, undefined]
      : [this.#toLink(this.#order[index - 1]), this.#toLink(this.#order[index + 1])];
  }

  /** Returns links to the ancestors of a page. A group links to its first page. */
  getBreadcrumbs = (page: DocumentPage): TitledLink[] =>
    (this.#trails.get(page.id) ?? []).slice(0, -1).flatMap((each): TitledLink[] => {
      if (each.type === 'document') return [this.toLink(each)];
      const first = each.type === 'group' ? this.#findFirst(each.pages) : undefined;
      return first === undefined ? [] : [{ title: each.title, to: this.getPath(first) }];
    });

  /**
   * Returns the pages whose path or title contains at least half of the words of the last segment of a path, the most
   * similar first.
   */
  findSimilar(path: string): TitledLink[] {
    const words = getLastWords(path);
    if (words.length === 0) return [];
    const scored = this.#order.flatMap((page) => {
      if (page.noIndex === true) return [];
      const names = `${page.path} ${page.title}`.toLowerCase();
      const score = words.filter((word) => names.includes(word)).length;
      return score * 2 >= words.length && score > 0 ? [{ page, score }] : [];
    });
    return scored
      .sort((one, other) => other.score - one.score)
      .slice(0, maxSimilarPages)
      .map(({ page }) => this.toLink(page));
  }

  /** The visible documents in reading order. */
  get order(): readonly DocumentPage[] {
    return this.#order;
  }

  /**
   * Returns the navigation with the current page open and its parts below it. In a large space, closed entries have no
   * children.
   */
  getNavigation(current: DocumentPage | undefined, parts: NavigationNode[] = []): NavigationNode[] {
    const open = new Set((this.#trails.get(current?.id ?? '') ?? []).map(({ id }) => id));
    const isLarge = this.#entries > maxExpandedEntries;
    const listNodes = (pages: Page[]): NavigationNode[] =>
      getWindow(
        pages.filter(({ hidden }) => hidden !== true),
        open,
      ).flatMap(getNavigationNodes);
    const getNavigationNodes = (page: Page): NavigationNode[] => {
      if (open.has(page.id)) return toNavigationNodes(page);
      const nodes = this.#closedNodes.get(page.id) ?? toNavigationNodes(page);
      this.#closedNodes.set(page.id, nodes);
      return nodes;
    };
    const toNavigationNodes = (page: Page): NavigationNode[] => {
      const { title, icon, emoji } = page;
      if (page.type === 'computed') return [];
      if (page.type === 'link')
        return page.href === undefined ? [] : [{ kind: 'link', title, icon, emoji, to: page.href, children: [] }];
      const isOpen = open.has(page.id);
      const children = isLarge && !isOpen ? [] : listNodes(page.pages);
      if (page.type === 'group') {
        const first = isLarge && !isOpen ? this.#findFirst(page.pages) : undefined;
        return [{ kind: 'group', title, icon, emoji, isOpen, children, ...(first && { to: this.getPath(first) }) }];
      }
      const isCurrentPage = page === current;
      const isCurrent = isCurrentPage && !parts.some((part) => part.isCurrent);
      const childNodes = isCurrentPage ? [...parts, ...children] : children;
      return [{ kind: 'page', title, icon, emoji, isOpen, isCurrent, to: this.getPath(page), children: childNodes }];
    };
    return listNodes(this.#pages);
  }

  #findFirst(pages: Page[]): DocumentPage | undefined {
    for (const page of pages) {
      if (page.hidden === true) continue;
      const document =
        page.type === 'document' ? page : page.type === 'group' ? this.#findFirst(page.pages) : undefined;
      if (document !== undefined) return document;
    }
    return undefined;
  }
}

const maxSimilarPages = 5;
const maxWords = 10;
/** Shorter words, such as "of" or "to", are part of too many names. */
const minWordLength = 3;

/** Returns the words of the last segment of a path, without its file extension. */
const getLastWords = (path: string): string[] =>
  (path.toLowerCase().split('/').at(-1) ?? '')
    .replace(/\.\w{1,5}$/, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= minWordLength || !/^[a-z]*$/.test(word))
    .filter((word) => word !== '')
    .slice(0, maxWords);

/** If a space has more entries, the navigation contains only the open levels. */
const maxExpandedEntries = 300;
/** Maximum number of entries per level. The entries nearest to the open one are shown. */
const maxLevel = 200;

function getWindow(pages: Page[], open: ReadonlySet<string>): Page[] {
  if (pages.length <= maxLevel) return pages;
  const offset = Math.max(
    0,
    pages.findIndex(({ id }) => open.has(id)),
  );
  const start = Math.max(0, Math.min(offset - maxLevel / 2, pages.length - maxLevel));
  return pages.slice(start, start + maxLevel);
}

/** Lists all site spaces of a site in navigation order. */
export const getSiteSpaces = ({ structure }: PublishedSite): SiteSpace[] =>
  structure.type === 'siteSpaces'
    ? structure.structure
    : structure.structure.flatMap((each) => {
        if (each.object === 'site-section') return each.siteSpaces;
        return each.object === 'site-section-group' ? each.sections.flatMap((section) => section.siteSpaces) : [];
      });

const trees = new WeakMap<Revision, Map<string, PageTree>>();

/** Returns the tree of a cached revision at a path in the site. */
export async function getTree(revision: Revision, base: string): Promise<PageTree> {
  const treesByBase = trees.get(revision) ?? new Map<string, PageTree>();
  trees.set(revision, treesByBase);
  const tree = treesByBase.get(base) ?? (await PageTree.create(revision, base));
  treesByBase.set(base, tree);
  return tree;
}

/** Returns a tree of a cached revision, at any path, if there is one. */
export const findKnownTree = (revision: Revision): PageTree | undefined => trees.get(revision)?.values().next().value;

/** Returns the API path of the content that all pages of a space share. */
export const toContentPath = (apiPath: string): string => `${apiPath}/content?metadata=true`;

/** A page with its URL. */
interface AddressedPage {
  page: DocumentPage;
  url: string;
  /** Returns the URL of a part of the page. */
  getPartUrl: (slug: string) => string;
}

/**
 * Reads visible pages of a site space in reading order, starting at an index. `total` is the number of all visible
 * pages.
 */
export async function readPages(
  api: SiteApi,
  { space, urls }: SiteSpace,
  { start = 0, end = Number.POSITIVE_INFINITY } = {},
): Promise<{ pages: AddressedPage[]; total: number }> {
  const revision = await api.getCached<Revision>(toContentPath(`/v1/spaces/${space.id}`));
  if (revision === undefined || urls.published === undefined) return { pages: [], total: 0 };
  const base = urls.published.endsWith('/') ? urls.published : `${urls.published}/`;
  const tree = await getTree(revision, '');
  const pages = await mapInSlices(tree.order.slice(start, end), (page) => ({
    ...{ page, url: `${base}${tree.getPath(page)}` },
    getPartUrl: (slug: string) => `${base}${tree.getPartPath(page, slug)}`,
  }));
  return { pages, total: tree.order.length };
}

interface ResolverInput {
  /** The space of the rendered documents. */
  space: SpaceId;
  tree: PageTree;
  files: File[];
  /** The canonical address of the site, with a trailing slash. */
  siteUrl: string;
  /** The titles of the site's spaces by space id. */
  spaces: ReadonlyMap<string, string>;
  /** The titles of pages of other spaces by `getForeignKey`. */
  titles: ReadonlyMap<string, string>;
  /** The resolver adds the pages to whose headings a document links, because headings can be renamed. */
  usedPages: Set<string>;
}

type Reference = Record<string, unknown>;

const getText = (reference: Reference, name: string): string | undefined => {
  const value = reference[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Anchors may be URL-encoded. */
function decodeAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

const isWebUrl = (address: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(address);

/** Returns the title of a page or space that a reference with a URL names. */
function getForeignTitle(
  reference: Reference,
  { spaces, titles }: Pick<ResolverInput, 'spaces' | 'titles'>,
): string | undefined {
  const [space = '', page = ''] = [getText(reference, 'space'), getText(reference, 'page')];
  return page === '' ? spaces.get(space) : titles.get(getForeignKey({ space, page }));
}

/**
 * Creates a function that resolves references in a space's documents to what the visitor can see. References to other
 * spaces contain their URL. Users, collections, specifications and reusable contents have no URL in a site.
 */
export function createResolver(input: ResolverInput): ResolveReference {
  const { space, tree, files, siteUrl, spaces, usedPages } = input;
  const byId = new Map(files.map((file) => [file.id, file]));
  const toSitePath = (address: string) => (address.startsWith(siteUrl) ? address.slice(siteUrl.length) : address);
  const resolvePage = (reference: Reference): ResolvedReference | undefined => {
    const isSameSpace = [undefined, space].includes(getText(reference, 'space'));
    const page = isSameSpace ? tree.find(getText(reference, 'page') ?? '') : undefined;
    if (page === undefined) return undefined;
    const { title, description, icon, emoji } = page;
    return { to: tree.getPath(page), title, description, icon, emoji };
  };
  const kinds: Record<string, (reference: Reference) => ResolvedReference | undefined> = {
    url: (reference) => {
      const url = getText(reference, 'url') ?? '';
      // A bare fragment refers to another source text, so it would be a broken link here.
      return isWebUrl(url) && !url.startsWith('#') ? { to: toSitePath(url) } : undefined;
    },
    page: resolvePage,
    anchor: (reference) => {
      const anchor = `#${encodeURIComponent(decodeAnchor(getText(reference, 'anchor') ?? ''))}`;
      const target = getText(reference, 'page');
      if (target === undefined) return { to: anchor };
      usedPages.add(target);
      const page = resolvePage(reference);
      return page === undefined ? undefined : { ...page, to: `${page.to}${anchor}` };
    },
    file: (reference) => {
      const file = byId.get(getText(reference, 'file') ?? '');
      if (file === undefined) return undefined;
      const { name, contentType, size, dimensions, downloadURL } = file;
      return { to: downloadURL, title: name, file: { name, contentType, size, dimensions } };
    },
    space: (reference) =>
      getText(reference, 'space') === space ? { to: tree.base, title: spaces.get(space) } : undefined,
  };
  return (reference) => {
    if (typeof reference !== 'object' || reference === null) return undefined;
    const fields = reference as Reference;
    const kind = getText(fields, 'kind') ?? '';
    const resolved = Object.hasOwn(kinds, kind) ? kinds[kind]?.(fields) : undefined;
    const href = getText(fields, 'href');
    if (resolved !== undefined || href === undefined || !isWebUrl(href)) return resolved;
    return { to: toSitePath(href), title: getForeignTitle(fields, input) ?? shortenAddress(href) };
  };
}

/** Maximum number of other spaces whose page titles are looked up. Further links show their URL. */
const maxSpaces = 4;

interface ForeignReference {
  page: string;
  space: SpaceId;
}

/** Finds references to pages of other spaces, except for links with a text, which need no title. */
function findForeignReferences(node: unknown, references: ForeignReference[] = []): ForeignReference[] {
  if (typeof node !== 'object' || node === null) return references;
  const { object, type, page, space, href } = node as Record<string, unknown>;
  if (object === 'text') return references;
  if (typeof page === 'string' && typeof space === 'string' && typeof href === 'string')
    references.push({ page, space });
  for (const name in node) {
    const value = (node as Record<string, unknown>)[name];
    if (typeof value === 'object' && (type !== 'link' || name !== 'data')) findForeignReferences(value, references);
  }
  return references;
}

/** Includes the space, since copies of a space contain pages with the same ids. */
const getForeignKey = ({ space, page }: ForeignReference): string => `${space} ${page}`;

const flattenPages = (pages: Page[]): Page[] =>
  pages.flatMap((page) =>
    page.type === 'document' || page.type === 'group' ? [page, ...flattenPages(page.pages)] : [page],
  );

/** Reads the titles of referenced pages of other spaces, with one call per space. */
export async function readForeignTitles(api: SiteApi, document: ShownDocument): Promise<ReadonlyMap<string, string>> {
  const references = findForeignReferences(document);
  const spaces = [...new Set(references.map(({ space }) => space))].slice(0, maxSpaces);
  const wantedKeys = new Set(references.map(getForeignKey));
  const titles = new Map<string, string>();
  await Promise.all(
    spaces.map(async (space) => {
      const revision = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space}/content/pages`);
      for (const { id, title } of flattenPages(revision?.pages ?? [])) {
        const key = getForeignKey({ space, page: id });
        if (wantedKeys.has(key)) titles.set(key, title);
      }
    }),
  );
  return titles;
}
