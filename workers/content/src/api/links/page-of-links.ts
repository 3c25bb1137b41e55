import { decodeCursor, paginate } from '@octavo/db';
import type { List, PageQuery } from '@octavo/schema';
import { maxNamedLocations, maxPageSize } from '@octavo/schema';

/** What the places of a page's items may come to, so that an answer stays of a size that can be sent. */
const maxPlacesPerPage = maxPageSize;

/** A page of items in their order. It ends early where its items have very many places. */
export function pageOf<Item extends { places: unknown[] }>(items: Item[], { page, limit }: PageQuery): List<Item> {
  const start = Number(decodeCursor(page, ['index'])?.[0] ?? 0);
  let end = start;
  for (let places = 0; end < items.length && end - start < limit; end += 1) {
    places += Math.min(items[end]?.places.length ?? 0, maxNamedLocations);
    if (places > maxPlacesPerPage && end > start) break;
  }
  const count = limit === 0 ? 0 : Math.max(1, end - start);
  return paginate(items.slice(start, start + count + 1), count, {
    item: (item) => item,
    cursorOf: () => [start + count],
  });
}
