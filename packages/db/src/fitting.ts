import type { SQL } from 'drizzle-orm';
import { Column, is, sql } from 'drizzle-orm';
import type { Fields } from './fields.ts';
import { given, Maybe } from './fields.ts';
import { lookedAt } from './text-filter.ts';

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
