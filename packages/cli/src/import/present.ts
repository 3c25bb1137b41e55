import { findFreeSlug } from '@octavo/markdown';
import type { DocumentPage, LinkTarget, Page } from '@octavo/schema';

/** A page, group or link in a space. */
export interface Present {
  id: string;
  kind: 'page' | 'group' | 'link';
  title: string;
  parent: Present | undefined;
  /** Position among its siblings. */
  index: number;
  children: Present[];
  /** Empty for a link. */
  slug: string;
  path: string;
  hidden: boolean;
  hasDocument: boolean;
  /** ID of the page's text. Pages with the same ID have the same text. */
  document?: string;
  target?: LinkTarget;
  /** The name of the folder or archive that the page was imported from. */
  importedFrom?: string;
  git?: { oid: string; path: string; linksId?: string | undefined };
  /** Other fields, which may also apply to the pages below. Not set for a link. */
  fields?: Partial<Pick<DocumentPage, (typeof fieldNames)[number]>>;
}

const fieldNames = [
  'emoji',
  'icon',
  'description',
  'condition',
  'noIndex',
  'noRobotsIndex',
  'layout',
  'cover',
  'variables',
] as const;

const getFields = (page: object): NonNullable<Present['fields']> =>
  Object.fromEntries(fieldNames.flatMap((key) => (key in page ? [[key, page[key as keyof typeof page]]] : [])));

const kinds = { document: 'page', group: 'group', link: 'link' } as const;

/** Returns the pages of a space as a tree of uniform objects. Computed pages are omitted because no user wrote them. */
export function presentTree(pages: readonly Page[], parent?: Present): Present[] {
  return pages.flatMap((page, index) => {
    if (page.type === 'computed') return [];
    const present: Present = {
      id: page.id,
      kind: kinds[page.type],
      title: page.title,
      parent,
      index,
      children: [],
      slug: page.type === 'link' ? '' : page.slug,
      path: page.type === 'link' ? '' : page.path,
      hidden: page.hidden === true,
      ...(page.importedFrom !== undefined && { importedFrom: page.importedFrom }),
      ...(page.type !== 'link' && { fields: getFields(page) }),
      hasDocument: page.type === 'document' && (page.documentId !== undefined || page.git !== undefined),
      ...(page.type === 'link' && { target: page.target }),
      ...(page.type === 'document' && page.git && { git: page.git }),
      ...(page.type === 'document' && page.documentId !== undefined && { document: page.documentId }),
    };
    if (page.type !== 'link') present.children = presentTree(page.pages, present);
    return [present];
  });
}

/** Yields every page, parents before children. */
export function* walkPresent(pages: readonly Present[]): Generator<Present> {
  for (const page of pages) {
    yield page;
    yield* walkPresent(page.children);
  }
}

/** Key of the root of the tree. */
export const root = '';

/** The tree of a space after the changes sent so far: parents, order and slugs. */
export class Outline {
  #children = new Map<string, string[]>();
  #parents = new Map<string, string>();
  #slugs = new Map<string, string>();

  static fromPages(pages: readonly Present[]): Outline {
    const outline = new Outline();
    const add = (page: Present, parent: string): void => {
      outline.insert(page.id, parent, outline.#childrenOf(parent).at(-1));
      outline.#slugs.set(page.id, page.slug);
      for (const child of page.children) add(child, page.id);
    };
    for (const page of pages) add(page, root);
    return outline;
  }

  copy(): Outline {
    const copy = new Outline();
    copy.#children = new Map([...this.#children].map(([key, children]) => [key, [...children]]));
    copy.#parents = new Map(this.#parents);
    copy.#slugs = new Map(this.#slugs);
    return copy;
  }

  has = (key: string): boolean => key === root || this.#parents.has(key);
  getParent = (key: string): string | undefined => this.#parents.get(key);

  /**
   * Moves a page after a sibling, or to the first position. Returns the page's index among its siblings, or undefined
   * if it is appended to a new parent.
   */
  insert(key: string, parent: string, after: string | undefined): number | undefined {
    const old = this.#parents.get(key);
    if (old !== undefined)
      this.#children.set(
        old,
        this.#childrenOf(old).filter((each) => each !== key),
      );
    const siblings = this.#childrenOf(parent);
    const index = after === undefined ? 0 : siblings.indexOf(after) + 1;
    const atEnd = index === siblings.length;
    this.#children.set(parent, siblings.toSpliced(index, 0, key));
    this.#parents.set(key, parent);
    return atEnd && old !== parent ? undefined : index;
  }

  /** Assigns a page a slug that is unique among its siblings, and returns it. */
  claimSlug(key: string, preferredSlug: string): string {
    const siblings = this.#childrenOf(this.#parents.get(key) ?? root).filter((each) => each !== key);
    const slug = findFreeSlug(preferredSlug, new Set(siblings.map((each) => this.#slugs.get(each) ?? '')));
    this.#slugs.set(key, slug);
    return slug;
  }

  #childrenOf = (key: string): string[] => this.#children.get(key) ?? [];
}
