/** A page as a list of pages has it. */
export interface Listed {
  id: string;
  title: string;
  type: string;
  slug: string;
  git?: { path: string };
  pages?: Listed[];
}

/** The pages that stand below the same page. */
export const siblingsOf = (page: Listed, pages: Listed[]): Listed[] =>
  pages.find(({ pages: below = [] }) => below.includes(page))?.pages ??
  pages.filter((each) => !pages.some(({ pages: below = [] }) => below.includes(each)));

/** Every page, parents before children. */
export function* flat(pages: Listed[]): Generator<Listed> {
  for (const page of pages) {
    yield page;
    yield* flat(page.pages ?? []);
  }
}
