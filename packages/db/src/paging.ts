import type { List } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Where a page of a list ended: the values of its order's columns in the last row, newest-first lists: time and id. */
export type Cursor = (string | number)[];

const encode = (cursor: Cursor): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(cursor))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** What a cursor holds of a column; `index` is a place in the order, which SQL takes for an OFFSET. */
type Column = 'number' | 'string' | 'index';
const maxIndex = 2 ** 31 - 1;

/** Reads a cursor that must hold one value for each of `columns`. @throws ApiError invalid */
export function decodeCursor(page: string | undefined, columns: Column[]): Cursor | undefined {
  if (page === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(page.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const cursor: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isCursor(cursor, columns)) return cursor;
  } catch {
    // Any text that is no cursor of ours ends in the one answer below.
  }
  throw badCursor();
}

/** The cursor of a list ordered by time and id, newest first; without a page, a cursor that precedes every row. */
export function newestFirst(page: string | undefined): [time: number, id: string] {
  const [time = Number.MAX_SAFE_INTEGER, id = ''] = decodeCursor(page, ['number', 'string']) ?? [];
  return [Number(time), String(id)];
}

/** 400 for a `page` that this list did not give. */
export const badCursor = () => invalid([{ path: 'query.page', message: 'is not a cursor of this list' }]);

const isCursor = (value: unknown, columns: Column[]): value is Cursor =>
  Array.isArray(value) &&
  value.length === columns.length &&
  columns.every((column, index) => fits[column](value[index]));

const fits: Record<Column, (part: unknown) => boolean> = {
  string: (part) => typeof part === 'string',
  number: (part) => Number.isFinite(part),
  index: (part) => Number.isInteger(part) && Number(part) >= 0 && Number(part) <= maxIndex,
};

/** The condition "comes after the cursor" for rows ordered by `time` and then `id`, both in the same direction. */
export function after(
  cursor: readonly (SQL | string | number)[] | undefined,
  time: SQL,
  id: SQL,
  order: 'asc' | 'desc' = 'desc',
): SQL {
  if (cursor === undefined) return sql`1`;
  return order === 'desc'
    ? sql`(${time}, ${id}) < (${cursor[0]}, ${cursor[1]})`
    : sql`(${time}, ${id}) > (${cursor[0]}, ${cursor[1]})`;
}

/**
 * Makes the envelope from up to `limit + 1` rows: the row too many only tells that there is a next page.
 * `cursorOf` gives a row's place in the list's order, `end` is where a list stopped that found fewer but is not over.
 */
export function paginate<Row, Item>(
  rows: Row[],
  limit: number,
  each: { item: (row: Row) => Item; cursorOf: (row: Row) => Cursor; end?: Row | undefined },
): List<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : each.end;
  const next = last === undefined ? {} : { next: { page: encode(each.cursorOf(last)) } };
  return { ...next, count: items.length, items: items.map(each.item) };
}
