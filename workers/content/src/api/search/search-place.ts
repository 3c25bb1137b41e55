import { badCursor, decodeCursor } from '@octavo/db';
import { maxSections } from './found-sql.ts';

/**
 * How far into the bounded ranking a page of results begins. The cursor holds the place, not the rank: that counts every
 * tenant's words, and would tell of them.
 * @throws ApiError invalid
 */
export function placeOf(page: string | undefined): number {
  const [place = 0] = decodeCursor(page, ['index']) ?? [];
  if (Number(place) > maxSections) throw badCursor();
  return Number(place);
}
