import type { Cursor } from '@octavo/db';
import { badCursor, decodeCursor } from '@octavo/db';

/** Reads a cursor of a list in the order of siblings: position and id. @throws ApiError invalid */
export function decodeSiblingCursor(page: string | undefined): Cursor | undefined {
  const cursor = decodeCursor(page, ['string', 'string']);
  if (cursor !== undefined && !/^(?:col|spc)_/.test(String(cursor[1]))) throw badCursor();
  return cursor;
}
