import type { Cost } from '@octavo/schema';
import { invalid } from '@octavo/schema';

export const bookmarkHeader = 'octavo-bookmark';

/** The bookmark that a request was sent with. @throws ApiError invalid */
export function bookmarkOf(headers: Headers): string | undefined {
  const bookmark = headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!/^[0-9a-f-]{1,128}$/i.test(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'is not a bookmark' }]);
  return bookmark;
}

const counts = { trips: 'd1-trips', rowsRead: 'd1-rows-read', rowsWritten: 'd1-rows-written' } as const;

/** Adds what an answer says that it cost to what others did; what it does not tell counts as nothing. */
export function addCost(cost: Cost, headers: Headers): void {
  const told = headers.get('server-timing') ?? '';
  for (const [field, name] of Object.entries(counts) as [keyof typeof counts, string][])
    cost[field] += Number(new RegExp(`(?:^|, )${name};desc="(\\d+)"`).exec(told)?.[1] ?? 0);
}

/** In tests: who sends this with the server's key is told counts that others are not. */
export const testKeyHeader = 'octavo-test-key';

/** A 404 has no counts of rows: they would tell a stranger that what is hidden exists. */
export function serverTiming({ trips, rowsRead, rowsWritten }: Cost, isHidden: boolean): string {
  const calls = `d1-trips;desc="${trips}"`;
  return isHidden ? calls : `${calls}, d1-rows-read;desc="${rowsRead}", d1-rows-written;desc="${rowsWritten}"`;
}
