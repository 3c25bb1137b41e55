import type { List } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { Column, is, sql } from 'drizzle-orm';
import type { Fields, RecordOf } from './selection.ts';
import { given, Maybe, maybe } from './selection.ts';

/** Where a page of a list ended: the values of its order's columns in the last row, newest-first lists: time and id. */
export type Cursor = (string | number)[];

const encode = (cursor: Cursor): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(cursor))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** What a cursor holds of a column; `index` is a place in the order, which SQL takes for an OFFSET. */
type CursorPart = 'number' | 'string' | 'index';
const maxIndex = 2 ** 31 - 1;

/** Reads a cursor that must hold one value for each of `columns`. @throws ApiError invalid */
export function decodeCursor(page: string | undefined, columns: CursorPart[]): Cursor | undefined {
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

const isCursor = (value: unknown, columns: CursorPart[]): value is Cursor =>
  Array.isArray(value) &&
  value.length === columns.length &&
  columns.every((column, index) => fits[column](value[index]));

const fits: Record<CursorPart, (part: unknown) => boolean> = {
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

/** The most rows that one page of a filtered list looks through; it ends there, with a `next` to go on from. */
export const maxLookedThrough = 5000;

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const capitalized = (text: string): string =>
  text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());

/**
 * Whether one of the columns contains the words, without regard to case. SQLite folds the case of ASCII alone, so words
 * with other letters are looked for as given, in lower case, in upper case and capitalized.
 */
export function contains(columns: SQL[], words: string): SQL {
  const forms = [words, words.toLowerCase(), words.toUpperCase(), capitalized(words)].map(lowerAscii);
  const found = columns.flatMap((column) =>
    [...new Set(forms)].map((form) => sql`instr(lower(${column}), ${form}) > 0`),
  );
  return sql`(${sql.join(found, sql` OR `)})`;
}

/** What a row of `lookThrough` has beside its own fields: whether it is kept, and how many were looked at up to it. */
export const lookedAt = { matches: maybe(given(Boolean)), place: maybe(given(Number)) };

interface LookThrough {
  columns: SQL;
  /** FROM and WHERE, which an index reads in the order of the list. */
  from: SQL;
  order: SQL;
  /** What the list keeps, by the names that the columns go by; left out where it is not filtered. */
  matches: SQL | undefined;
  limit: SQL<number> | number;
}

/** A list's query that keeps what matches; it looks through `maxLookedThrough` rows at most, wherever the matches are. */
export const lookThrough = ({ columns, from, order, matches, limit }: LookThrough): SQL =>
  matches === undefined
    ? sql`SELECT ${columns}, 1 AS matches, NULL AS place ${from} ORDER BY ${order} LIMIT ${oneMore(limit)}`
    : // LIMIT -1 keeps SQLite from merging the queries, which would compute each row's columns and match twice.
      sql`SELECT * FROM (SELECT *, ${matches} AS matches FROM (
        SELECT ${columns}, ROW_NUMBER() OVER (ORDER BY ${order}) AS place ${from}
        ORDER BY ${order} LIMIT ${maxLookedThrough}) LIMIT -1)
      WHERE matches OR place = ${maxLookedThrough} LIMIT ${oneMore(limit)}`;

const oneMore = (limit: SQL<number> | number): SQL<number> | number =>
  typeof limit === 'number' ? limit + 1 : sql<number>`(${limit} + 1)`;

/** Makes the envelope from the rows of `lookThrough`, or of those the ones that are `fitted`. */
export function paginateMatches<Row extends RecordOf<typeof lookedAt> & { cut?: boolean }, Item>(
  rows: Row[],
  limit: number,
  each: { item: (row: Row) => Item; cursorOf: (row: Row) => Cursor },
): List<Item> {
  const end = rows.find(({ place, cut }) => place === maxLookedThrough || cut);
  const found = rows.filter(({ matches }) => matches);
  return paginate(found, limit, { ...each, end: limit === 0 ? undefined : end });
}

/** What a row of `fitted` has beside its own fields: that of `lookThrough`, and whether more did not fit behind it. */
export const fittingAt = { ...lookedAt, cut: given(Boolean) };

/** What a list answers with at most, roughly, in bytes. */
const maxAnswer = 4_000_000;

interface Fitted {
  /** Narrow rows `f`, as `lookThrough` finds them, each with its `size` in bytes. */
  found: SQL;
  /** Of `f`, without two at one place. */
  order: SQL;
  most?: number;
}

/**
 * Those rows that fit one answer, with the first in any case: wide columns are joined to these alone. `paginateMatches`
 * has the next page begin behind them.
 */
export const fitted = ({ found, order, most = maxAnswer }: Fitted): SQL => {
  const limit = sql.raw(String(most));
  // Not materialized, SQLite sorts all that `found` looks through before it heeds its LIMIT.
  return sql`WITH found AS MATERIALIZED (${found})
    SELECT f.*, f.through >= ${limit} AND f.through < (SELECT SUM(size + 1) FROM found) AS cut
    FROM (SELECT f.*, SUM(f.size + 1) OVER (ORDER BY ${order}) AS through FROM found f) f
    WHERE f.through - f.size - 1 < ${limit}`;
};

/** The columns of `fittingAt`, of rows `l` that are `fitted`. */
export const givenOfFitted = { matches: sql`l.matches`, place: sql`l.place`, cut: sql`l.cut` };

/** What the texts of a record take where it is stored, of its fields that are columns: of their table, or of one called `as`. */
export function bytesOf(fields: Fields, as?: string): SQL {
  const texts = textsOf(fields).map((column) =>
    as === undefined ? sql`${column}` : sql`${sql.identifier(as)}.${sql.identifier(column.name)}`,
  );
  return sql`(${sql.join(
    texts.map((text) => sql`COALESCE(octet_length(${text}), 0)`),
    sql` + `,
  )})`;
}

const textsOf = (fields: Fields): Column[] =>
  Object.values(fields).flatMap((field) => {
    const of = field instanceof Maybe ? field.of : field;
    if (is(of, Column)) return of.getSQLType() === 'text' ? [of] : [];
    return isGroup(of) ? textsOf(of) : [];
  });

const isGroup = (field: object): field is Fields => Object.getPrototypeOf(field) === Object.prototype;
