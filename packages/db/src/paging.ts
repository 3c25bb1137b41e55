import type { List } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { Column, is, sql } from 'drizzle-orm';
import type { Fields, RecordOf } from './selection.ts';
import { fromQuery, Nullable, nullable } from './selection.ts';

/** The position after a page of a list: the sort columns of its last row, such as time and id. */
export type Cursor = (string | number)[];

const encode = (cursor: Cursor): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(cursor))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The type of a cursor's value; `index` is an offset into the list. */
type CursorPart = 'number' | 'string' | 'index';
const maxIndex = 2 ** 31 - 1;

/** Decodes a cursor with one value for each of `columns`. @throws ApiError invalid */
export function decodeCursor(page: string | undefined, columns: CursorPart[]): Cursor | undefined {
  if (page === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(page.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const cursor: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isCursor(cursor, columns)) return cursor;
  } catch {
    // Every malformed cursor gets the error below.
  }
  throw createCursorError();
}

/**
 * Decodes the cursor of a list ordered by time and id, newest first. Without `page`, returns a cursor that precedes
 * every row.
 */
export function decodeTimeCursor(page: string | undefined): [time: number, id: string] {
  const [time = Number.MAX_SAFE_INTEGER, id = ''] = decodeCursor(page, ['number', 'string']) ?? [];
  return [Number(time), String(id)];
}

/** The error for a `page` that is not a cursor of the list. */
export const createCursorError = () =>
  invalid([{ path: 'query.page', message: 'must be a cursor returned by this list' }]);

const isCursor = (value: unknown, columns: CursorPart[]): value is Cursor =>
  Array.isArray(value) &&
  value.length === columns.length &&
  columns.every((column, index) => isCursorPart[column](value[index]));

const isCursorPart: Record<CursorPart, (part: unknown) => boolean> = {
  string: (part) => typeof part === 'string',
  number: (part) => Number.isFinite(part),
  index: (part) => Number.isInteger(part) && Number(part) >= 0 && Number(part) <= maxIndex,
};

/** A condition for rows after the cursor, in an order by `time` and then `id`, both in the same direction. */
export function isAfterCursor(
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
 * Makes a page of a list from up to `limit + 1` rows; an extra row means that there is a next page. `getCursor` returns
 * the cursor of a row. `end` is the row where a search stopped before it found `limit` rows.
 */
export function paginate<Row, Item>(
  rows: Row[],
  limit: number,
  each: { item: (row: Row) => Item; getCursor: (row: Row) => Cursor; end?: Row | undefined },
): List<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : each.end;
  const next = last === undefined ? {} : { next: { page: encode(each.getCursor(last)) } };
  return { ...next, count: items.length, items: items.map(each.item) };
}

/**
 * Maximum number of rows that one page of a filtered list reads. The page ends after these rows and has a cursor for
 * the next page.
 */
export const maxRowsScanned = 5000;

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const capitalize = (text: string): string =>
  text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());

/**
 * A condition that one of the columns contains the words, ignoring case. SQLite folds the case of ASCII only, so words
 * with other letters are searched as given, in lower case, in upper case and capitalized.
 */
export function matchText(columns: SQL[], words: string): SQL {
  const forms = [words, words.toLowerCase(), words.toUpperCase(), capitalize(words)].map(lowerAscii);
  const matches = columns.flatMap((column) =>
    [...new Set(forms)].map((form) => sql`instr(lower(${column}), ${form}) > 0`),
  );
  return sql`(${sql.join(matches, sql` OR `)})`;
}

/** Fields that `scanRows` adds to a row: whether it matches, and how many rows were read up to it. */
export const scanFields = { matches: nullable(fromQuery(Boolean)), place: nullable(fromQuery(Number)) };

interface Scan {
  columns: SQL;
  /** The FROM and WHERE clauses. They must use an index whose order is the order of the list. */
  from: SQL;
  order: SQL;
  /** The filter, which uses the names of the columns; undefined if the list is not filtered. */
  matches: SQL | undefined;
  limit: SQL<number> | number;
}

/** A query for a filtered list, which reads at most `maxRowsScanned` rows. */
export const scanRows = ({ columns, from, order, matches, limit }: Scan): SQL =>
  matches === undefined
    ? sql`SELECT ${columns}, 1 AS matches, NULL AS place ${from} ORDER BY ${order} LIMIT ${incrementLimit(limit)}`
    : // LIMIT -1 keeps SQLite from merging the queries, which would compute each row's columns and match twice.
      sql`SELECT * FROM (SELECT *, ${matches} AS matches FROM (
        SELECT ${columns}, ROW_NUMBER() OVER (ORDER BY ${order}) AS place ${from}
        ORDER BY ${order} LIMIT ${maxRowsScanned}) LIMIT -1)
      WHERE matches OR place = ${maxRowsScanned} LIMIT ${incrementLimit(limit)}`;

const incrementLimit = (limit: SQL<number> | number): SQL<number> | number =>
  typeof limit === 'number' ? limit + 1 : sql<number>`(${limit} + 1)`;

/** Makes a page of a list from the rows of `scanRows` or `fitRows`. */
export function paginateMatches<Row extends RecordOf<typeof scanFields> & { cut?: boolean }, Item>(
  rows: Row[],
  limit: number,
  each: { item: (row: Row) => Item; getCursor: (row: Row) => Cursor },
): List<Item> {
  const end = rows.find(({ place, cut }) => place === maxRowsScanned || cut);
  const matchingRows = rows.filter(({ matches }) => matches);
  return paginate(matchingRows, limit, { ...each, end: limit === 0 ? undefined : end });
}

/** Fields that `fitRows` adds to a row: the fields of `scanRows`, and whether the rows after this one were cut off. */
export const fitFields = { ...scanFields, cut: fromQuery(Boolean) };

/** Approximate maximum size of a list response, in bytes. */
const maxResponseBytes = 4_000_000;

interface PageSizeQuery {
  /**
   * A query for the rows of `scanRows`, with few columns and each row's `size` in bytes. Its rows have the alias `f`.
   */
  match: SQL;
  /** The order of the rows `f`. It must have no ties. */
  order: SQL;
  maxBytes?: number;
}

/**
 * The rows that fit into one response; at least one row. Only these rows are joined to wide columns. The next page
 * starts after them, see `paginateMatches`.
 */
export const fitRows = ({ match, order, maxBytes: most = maxResponseBytes }: PageSizeQuery): SQL => {
  const limit = sql.raw(String(most));
  // Without MATERIALIZED, SQLite sorts all rows of `match` before it applies the limit.
  return sql`WITH found AS MATERIALIZED (${match})
    SELECT f.*, f.through >= ${limit} AND f.through < (SELECT SUM(size + 1) FROM found) AS cut
    FROM (SELECT f.*, SUM(f.size + 1) OVER (ORDER BY ${order}) AS through FROM found f) f
    WHERE f.through - f.size - 1 < ${limit}`;
};

/** Expressions for `fitFields`. The rows of `fitRows` have the alias `l`. */
export const fitExpressions = { matches: sql`l.matches`, place: sql`l.place`, cut: sql`l.cut` };

/** The stored size in bytes of the text columns of a record. `alias` is the alias of their table, if it has one. */
export function countBytes(fields: Fields, alias?: string): SQL {
  const texts = getTextColumns(fields).map((column) =>
    alias === undefined ? sql`${column}` : sql`${sql.identifier(alias)}.${sql.identifier(column.name)}`,
  );
  return sql`(${sql.join(
    texts.map((text) => sql`COALESCE(octet_length(${text}), 0)`),
    sql` + `,
  )})`;
}

const getTextColumns = (fields: Fields): Column[] =>
  Object.values(fields).flatMap((field) => {
    const inner = field instanceof Nullable ? field.inner : field;
    if (is(inner, Column)) return inner.getSQLType() === 'text' ? [inner] : [];
    return isGroup(inner) ? getTextColumns(inner) : [];
  });

const isGroup = (field: object): field is Fields => Object.getPrototypeOf(field) === Object.prototype;
