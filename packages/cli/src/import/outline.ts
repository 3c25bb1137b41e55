import { findFreeSlug } from '@octavo/markdown';
import type { Present } from '@octavo/space-files';

/** The key under which the top-level pages are stored. */
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
