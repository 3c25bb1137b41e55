/** A page in a page list. */
export interface Listed {
  id: string;
  title: string;
  type: string;
  slug: string;
  git?: { path: string };
  pages?: Listed[];
}

/** Returns the page and its siblings. */
export const getSiblings = (page: Listed, pages: Listed[]): Listed[] =>
  pages.find(({ pages: below = [] }) => below.includes(page))?.pages ??
  pages.filter((each) => !pages.some(({ pages: below = [] }) => below.includes(each)));

/** Yields every page, parents before children. */
export function* flattenPages(pages: Listed[]): Generator<Listed> {
  for (const page of pages) {
    yield page;
    yield* flattenPages(page.pages ?? []);
  }
}
