import type { Page } from '@octavo/schema';
import { getChildren, type SpacePages } from './tree-rows.ts';

/** Returns the number of pages below a page, on all levels. */
export const countBelow = (page: Page): number =>
  getChildren(page).reduce((count, child) => count + 1 + countBelow(child), 0);

/** Returns the pages directly in a parent, or at the top level. */
export function getSiblings({ roots, byId }: SpacePages, parent: string | undefined): Page[] {
  const page = parent === undefined ? undefined : byId.get(parent);
  return page === undefined ? roots : getChildren(page);
}

/** The position of a page: its parent, and its index among the siblings. */
export interface PagePosition {
  /** The id of the parent, or null at the top level. */
  into: string | null;
  at?: number;
}

/** Returns the position of a page. */
export function findPosition(pages: SpacePages, page: string): Required<PagePosition> {
  const parent = pages.parents.get(page)?.id;
  return { into: parent ?? null, at: getSiblings(pages, parent).findIndex(({ id }) => id === page) };
}
