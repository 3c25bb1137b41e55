import type { Page } from '@octavo/schema';
import { get } from '../api.ts';
import { getContentPath } from '../page/resolve-reference.ts';
import { type LoadedValue, reloadPath, useApi } from '../use-api.ts';
import { getChildren, indexPages, type SpacePages } from './tree-rows.ts';

/** The query of a page tree without generated pages, which have no position of their own. */
const writtenQuery = { metadata: false, computed: false };

/** Reads the page tree at a path such as `/spaces/spc_a`, without generated pages. */
export const readWrittenPages = async (path: string): Promise<SpacePages> =>
  indexPages((await get<{ pages: Page[] }>(`${path}/content/pages`, writtenQuery)).pages);

/** In milliseconds. Live events keep the shown page trees current, but the live connection can be missing. */
const maxAge = 60_000;

/** The pages of a tree by their ids. All components that show the tree share them. */
const indexes = new WeakMap<Page[], SpacePages>();

function getIndex(roots: Page[]): SpacePages {
  const index = indexes.get(roots) ?? indexPages(roots);
  indexes.set(roots, index);
  return index;
}

/** Reads the page tree at a path such as `/spaces/spc_a`. */
export function usePages(path: string | undefined, { isWritten = false } = {}): LoadedValue<SpacePages> {
  const loaded = useApi<{ pages: Page[] }>(
    path === undefined ? undefined : `${getContentPath(path)}/pages`,
    isWritten ? writtenQuery : { metadata: false },
    maxAge,
  );
  return { ...loaded, value: loaded.value && getIndex(loaded.value.pages) };
}

/** Reloads the page tree at a path in all components that show it. */
export const reloadPages = (path: string): Promise<void> => reloadPath(`${path}/content/pages`);

/** Reloads the page tree and the changes of a change request in all components that show them. */
export async function reloadMovedPages(path: string): Promise<void> {
  await Promise.all([reloadPages(path), reloadPath(`${path}/changes`)]);
}

/** Returns the ancestors of a page, the topmost first. */
export function getAncestors({ parents }: SpacePages, id: string): Page[] {
  const ancestors: Page[] = [];
  for (let parent = parents.get(id); parent !== undefined; parent = parents.get(parent.id)) ancestors.unshift(parent);
  return ancestors;
}

/** Returns the first page with a text. */
export function findFirstPage(pages: Page[]): Page | undefined {
  for (const page of pages) {
    if (page.type === 'document') return page;
    const first = findFirstPage(getChildren(page));
    if (first !== undefined) return first;
  }
  return undefined;
}
