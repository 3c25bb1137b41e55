import type { List } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { given, maybe } from './fields.ts';
import type { Cursor } from './paging.ts';
import { paginate } from './paging.ts';

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
