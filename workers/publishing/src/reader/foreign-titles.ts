import type { ShownDocument } from '@octavo/reader';
import type { Page, Revision, SpaceId } from '@octavo/schema';
import type { SiteApi } from './site-api.ts';

/** Of so many other spaces a page names pages by their titles; those of others are named by their addresses. */
const maxSpaces = 4;

interface ForeignReference {
  page: string;
  space: SpaceId;
}

/** The pages of other spaces that a document names: what stands for a link that has words of its own needs no name. */
function foreignIn(node: unknown, found: ForeignReference[] = []): ForeignReference[] {
  if (typeof node !== 'object' || node === null) return found;
  const { type, page, space, href } = node as Record<string, unknown>;
  if (typeof page === 'string' && typeof space === 'string' && typeof href === 'string') found.push({ page, space });
  for (const name in node) {
    const value = (node as Record<string, unknown>)[name];
    if (typeof value === 'object' && (type !== 'link' || name !== 'data')) foreignIn(value, found);
  }
  return found;
}

/** What a page of a space is found by: copies of a space have pages of the same ids. */
export const foreignKey = ({ space, page }: ForeignReference): string => `${space} ${page}`;

const pagesIn = (pages: Page[]): Page[] =>
  pages.flatMap((page) =>
    page.type === 'document' || page.type === 'group' ? [page, ...pagesIn(page.pages)] : [page],
  );

/** The titles of pages of other spaces that a document names, as the visitor is shown them: a call for each space. */
export async function foreignTitles(api: SiteApi, document: ShownDocument): Promise<ReadonlyMap<string, string>> {
  const references = foreignIn(document);
  const spaces = [...new Set(references.map(({ space }) => space))].slice(0, maxSpaces);
  const wanted = new Set(references.map(foreignKey));
  const titles = new Map<string, string>();
  await Promise.all(
    spaces.map(async (space) => {
      const read = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space}/content/pages`);
      for (const { id, title } of pagesIn(read?.pages ?? [])) {
        const key = foreignKey({ space, page: id });
        if (wanted.has(key)) titles.set(key, title);
      }
    }),
  );
  return titles;
}
