import type { DocumentPage, Space, SpaceId } from '@octavo/schema';
import { specificationsFor } from '../kept-specifications.ts';
import type { SiteVisit } from '../site-visit.ts';
import { listingOf } from './listing.ts';

/** Of so many pages that nobody wrote the parts are told, */
const maxPages = 100;
/** which are read so many at once. */
const pagesAtOnce = 20;

/** The parts that have pages of their own, of pages of the live content: their slugs by the ids of the pages. */
export async function partsOfPages(
  { api, content }: Pick<SiteVisit, 'api' | 'content'>,
  space: SpaceId,
  pages: DocumentPage[],
): Promise<ReadonlyMap<string, string[]>> {
  const ids = pages.filter(({ computed }) => computed?.type === 'builtin:openapi').map(({ id }) => id);
  const found = ids.length === 0 ? undefined : await api.get<Space>(`/v1/spaces/${space}`);
  if (found === undefined) return new Map();
  const { revision } = found;
  const chunks = Array.from({ length: Math.ceil(Math.min(ids.length, maxPages) / pagesAtOnce) }, (_, index) =>
    ids.slice(index * pagesAtOnce, (index + 1) * pagesAtOnce),
  );
  const documents = (await Promise.all(chunks.map((some) => api.documents({ space, revision, pages: some })))).flat();
  const read = specificationsFor(content.organization, api);
  const listed = new Map<string, string[]>();
  for (const [index, document] of documents.entries()) {
    const listing = document && (await listingOf(document, read));
    if (listing !== undefined) listed.set(ids[index] ?? '', listing.slugs);
  }
  return listed;
}
