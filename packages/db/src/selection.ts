import type { SQLWrapper } from 'drizzle-orm';
import { Column, is, Placeholder, SQL, sql } from 'drizzle-orm';
import type { SQLiteSelectBuilder } from 'drizzle-orm/sqlite-core';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { dialect } from './dialect.ts';
import type { Decode, Field, Fields, RecordOf } from './fields.ts';
import { decodeOf, type Given, Maybe, Passed, Value } from './fields.ts';

/** A row of a hand-written query, by column alias. */
export type Row = Record<string, string | number | null>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`Column ${column} holds no text.`);
  return value;
}

/*
 * A record is declared once, from the columns of the tables (`aliasedTable(spaces, 's')`), and what a query selects,
 * the reader of its rows and their type follow from that:
 *
 *   const spaceRow = selection({ id: s.id, title: s.title, head: { id: head.id, seq: head.seq }, rank: given(Number) });
 *   const ofSpace = (id: string) => spaceRow.query(sql`
 *     SELECT ${spaceRow.with({ rank })} FROM spaces s CROSS JOIN revisions head ON … WHERE s.id = ${id}`);
 *   const [space] = await readRows(db, ofSpace(id)); // { id: string, title: string, head: {…}, rank: number }
 *
 * `${spaceRow}` alone selects every field but the given ones, which the text names itself: `… AS ${spaceRow.names.rank}`.
 * A field's name in SQL is its path in lower case: `title`, `head_seq`. `runBatch` and `commit` read queries likewise.
 */

type NamesOf<Of> = Of extends Column | Value<unknown>
  ? SQL
  : Of extends Maybe<infer Inner>
    ? NamesOf<Inner>
    : Of extends Passed<infer Inner>
      ? NamesOf<Inner>
      : { readonly [Name in keyof Of]: NamesOf<Of[Name]> };

/** Expressions for given fields, by their places in the record. */
export type Expressions<Of> =
  Of extends Given<unknown>
    ? SQLWrapper
    : Of extends Column | Value<unknown> | Passed<Fields>
      ? never
      : Of extends Maybe<infer Inner>
        ? Expressions<Inner>
        : { readonly [Name in keyof Of]?: Expressions<Of[Name]> };

interface Expressed {
  readonly [name: string]: SQLWrapper | Expressed;
}

type Reader = (row: Row) => unknown;

/** The columns of a record, as a query selects them, and its reader. Both are made when they are first used. */
export class Selection<const Of extends Fields> implements SQLWrapper {
  readonly fields: Of;
  #text: string | undefined;
  #names: NamesOf<Of> | undefined;
  #reader: Reader | undefined;

  constructor(fields: Of) {
    this.fields = fields;
  }

  /** The names of the fields in the rows, for outer queries and conditions on them. */
  get names(): NamesOf<Of> {
    this.#names ??= namesOf(this.fields, '') as NamesOf<Of>;
    return this.#names;
  }

  /** The columns as drizzle's query builder selects them; see `prepared`. */
  get columns(): Record<string, SQL.Aliased> {
    return Object.fromEntries(columnsOf(this.fields, '').map(({ name, text }) => [name, sql.raw(text).as(name)]));
  }

  getSQL(): SQL {
    return sql.raw(this.#selected());
  }

  shouldOmitSQLParens(): boolean {
    return true;
  }

  /** The columns, with these expressions for the given ones. */
  with(expressions: Expressions<Of>): SQL {
    const named = namedIn(expressions as Expressed, '');
    return sql.join(this.#selected() === '' ? named : [this.getSQL(), ...named], sql`, `);
  }

  #selected(): string {
    this.#text ??= columnsOf(this.fields, '')
      .map(({ name, text }) => `${text} AS \`${name}\``)
      .join(', ');
    return this.#text;
  }

  /** A statement that gives rows of this record. */
  query(text: SQLWrapper): Query<RecordOf<Of>> {
    return new Query(text.getSQL(), (row) => this.read(row));
  }

  read(row: Row): RecordOf<Of> {
    this.#reader ??= readerOf(this.fields, '', false);
    return this.#reader(row) as RecordOf<Of>;
  }
}

export const selection = <const Of extends Fields>(fields: Of): Selection<Of> => new Selection(fields);

/** The text of a statement, and what is bound to it. */
export interface BoundText {
  sql: string;
  params: unknown[];
}

/** A statement that reads rows of a record. */
export class Query<Record> {
  readonly #source: SQL | BoundText;
  readonly read: (row: Row) => Record;

  constructor(source: SQL | BoundText, read: (row: Row) => Record) {
    this.#source = source;
    this.read = read;
  }

  getQuery(): BoundText {
    return this.#source instanceof SQL ? dialect.sqlToQuery(this.#source) : this.#source;
  }
}

/** A value that is bound when a `prepared` query is used. It is bound as it is: pass 1 for true, and JSON for a list. */
export type Parameter<Value extends Bindable> = Placeholder<string, Value>;

type Bindable = string | number | null;
type Parameters<Values extends Bindable[]> = { [Index in keyof Values]: Parameter<Values[Index]> };
type Select = SQLiteSelectBuilder<Record<string, SQL.Aliased>, 'sync', void, 'qb'>;

/**
 * Prepares a read with drizzle's query builder. `build` runs once, at the first use of the query, and the SQL text is
 * reused with the values of each use. `select` already selects the columns of `row`, each under its own name.
 *
 *   const [m, u] = [aliasedTable(members, 'm'), aliasedTable(users, 'u')];
 *   const memberRow = selection({ id: u.id, email: u.email, role: m.role });
 *
 *   const membersWithRole = prepared(
 *     memberRow,
 *     (select, organization: Parameter<OrganizationId>, role: Parameter<Role>, limit: Parameter<number>) =>
 *       select
 *         .from(m)
 *         .innerJoin(u, eq(u.id, m.user))
 *         .where(and(eq(m.organization, organization), eq(m.role, role)))
 *         .orderBy(m.joinedAt)
 *         .limit(limit),
 *   );
 *
 *   const rows = await readRows(db, membersWithRole(organization, 'admin', 50)); // { id: UserId, email: string, … }[]
 *   const { admins } = await runBatch(db, { admins: membersWithRole(organization, 'admin', 50), … });
 *
 * - A table's whole rows: `selection(getTableColumns(teams))`.
 * - A list: pass JSON and write `inArray(m.user, sql`(SELECT value FROM json_each(${users}))`)`.
 * - `crossJoin` keeps the order of its tables, as CROSS JOIN does; `innerJoin` leaves the order to SQLite.
 * - The builder has no INDEXED BY, and a query whose text depends on its input is not prepared: write these as
 *   `row.query(sql`…`)`, or as a `statement` when the text is always the same.
 */
export const prepared = <const Of extends Fields, Values extends Bindable[]>(
  row: Selection<Of>,
  build: (select: Select, ...values: Parameters<Values>) => SQLWrapper,
): ((...values: Values) => Query<RecordOf<Of>>) =>
  compiledOnce(build.length - 1, (...values) =>
    row.query(build(builder.select(row.columns), ...(values as Parameters<Values>)).getSQL()),
  );

const builder = new QueryBuilder(dialect);

/**
 * A statement whose text is built once, at its first use, and not at each: `build` is given an expression for each value.
 * What the text itself depends on is no value: it takes a statement for each form.
 *
 *   const spaceById = statement((id: SQL<SpaceId>) => spaceRow.query(sql`SELECT ${spaceRow} FROM spaces s WHERE s.id = ${id}`));
 *   const space = await readRow(db, spaceById(id));
 */
export const statement = <Values extends unknown[], Record>(
  build: (...values: { [Place in keyof Values]: SQL<Values[Place]> }) => Query<Record>,
): ((...values: Values) => Query<Record>) =>
  compiledOnce(build.length, (...places) =>
    build(...(places.map((place) => new SQL([place])) as { [Place in keyof Values]: SQL<Values[Place]> })),
  );

/** Compiles a query at its first use, with a placeholder for each of its values. */
function compiledOnce<Values extends unknown[], Record>(
  count: number,
  build: (...values: Placeholder[]) => Query<Record>,
): (...values: Values) => Query<Record> {
  let compiled: { text: BoundText; read: (row: Row) => Record } | undefined;
  return (...values) => {
    compiled ??= compile(build(...Array.from({ length: count }, (_, index) => new Placeholder(String(index)))));
    const { text, read } = compiled;
    const params = text.params.map((param) => (param instanceof Placeholder ? values[Number(param.name)] : param));
    return new Query({ sql: text.sql, params }, read);
  };
}

const compile = <Record>(query: Query<Record>) => ({ text: query.getQuery(), read: query.read });

/** A statement that gives no rows, or whose rows are taken as they are. */
export const rawQuery = (text: SQL): Query<Row> => new Query(text, (row) => row);

/** The name of a field in SQL, by that of its group. */
const inSql = (group: string, key: string): string =>
  `${group === '' ? '' : `${group}_`}${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** Not in double quotes: what stands in those and names nothing, SQLite takes for a text. */
const quoted = (name: string): SQL => sql.raw(`\`${name}\``);

const namedIn = (expressions: Expressed, group: string): SQL[] =>
  Object.entries(expressions).flatMap(([key, source]) =>
    isWrapper(source) ? [sql`${source} AS ${quoted(inSql(group, key))}`] : namedIn(source, inSql(group, key)),
  );

const isWrapper = (source: SQLWrapper | Expressed): source is SQLWrapper => typeof source.getSQL === 'function';

function columnsOf(field: Field, name: string): { name: string; text: string }[] {
  if (field instanceof Passed) return [];
  if (field instanceof Maybe) return columnsOf(field.of, name);
  if (field instanceof Value) return field.source === undefined ? [] : [{ name, text: textOf(field.source) }];
  if (is(field, Column)) return [{ name, text: textOf(field) }];
  return partsOf(field, name).flatMap(([, part, named]) => columnsOf(part, named));
}

function textOf(source: Column | SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(sql`${source}`);
  if (params.length > 0) throw new TypeError(`A selection binds no parameters: ${text}`);
  return text;
}

const partsOf = (fields: Fields, name: string): [key: string, part: Field, named: string][] =>
  Object.entries(fields).map(([key, part]) => [key, part, inSql(name, key)]);

function namesOf(field: Field, name: string): unknown {
  if (field instanceof Maybe) return namesOf(field.of, name);
  if (field instanceof Passed) return namesOf(field.fields, name);
  if (field instanceof Value || is(field, Column)) return quoted(name);
  return Object.fromEntries(partsOf(field, name).map(([key, part, named]) => [key, namesOf(part, named)]));
}

function readerOf(field: Field, name: string, nullable: boolean): Reader {
  if (field instanceof Maybe) return readerOf(field.of, name, true);
  if (field instanceof Passed) return readerOf(field.fields, name, nullable);
  if (field instanceof Value) return valueReader(name, field.decode, nullable || field.nullable);
  if (is(field, Column)) return valueReader(name, decodeOf(field), nullable || !field.notNull);
  const read = groupReader(field, name);
  const first = firstName(field, name);
  return nullable ? (row) => (columnOf(row, first) === null ? null : read(row)) : read;
}

function groupReader(fields: Fields, name: string): Reader {
  const readers = partsOf(fields, name).map(([key, part, named]) => [key, readerOf(part, named, false)] as const);
  return (row) => {
    const record: Record<string, unknown> = {};
    for (const [key, read] of readers) record[key] = read(row);
    return record;
  };
}

function firstName(field: Field, name: string): string {
  if (field instanceof Passed) return firstName(field.fields, name);
  if (field instanceof Maybe || field instanceof Value || is(field, Column)) return name;
  const [first] = partsOf(field, name);
  return first === undefined ? name : firstName(first[1], first[2]);
}

const valueReader =
  (name: string, decode: Decode | undefined, nullable: boolean): Reader =>
  (row) => {
    const value = columnOf(row, name);
    if (value !== null) return decode === undefined ? value : decode(value as never);
    if (nullable || isOnlyLookedAt(row)) return null;
    throw new TypeError(`The column ${name} is null.`);
  };

/** Of a row that `lookThrough` does not keep only the place in the list counts, where the list goes on from. */
const isOnlyLookedAt = ({ matches }: Row): boolean => matches === 0 || matches === null;

function columnOf(row: Row, name: string): Row[string] {
  const value = row[name];
  if (value === undefined) throw new TypeError(`The query gives no column ${name}.`);
  return value;
}
