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

/** A 404 has no counts of rows: they would tell a stranger that what is hidden exists. */
export function serverTiming({ trips, rowsRead, rowsWritten }: Cost, isHidden: boolean): string {
  const calls = `d1-trips;desc="${trips}"`;
  return isHidden ? calls : `${calls}, d1-rows-read;desc="${rowsRead}", d1-rows-written;desc="${rowsWritten}"`;
}
