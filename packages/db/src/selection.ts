import type { GetColumnData, SQLWrapper } from 'drizzle-orm';
import { Column, is, SQL, sql } from 'drizzle-orm';
import { customType } from 'drizzle-orm/sqlite-core';
import { dialect } from './dialect.ts';

/** The part of a zod schema that is used here. */
interface StoredSchema<Value> {
  parse(value: unknown): Value;
}

/** Validates a value and returns its stored form. @throws ZodError */
export const toStored = <Value>(schema: StoredSchema<Value>, value: Value): string =>
  JSON.stringify(schema.parse(value));

/**
 * Declares a JSON column. Values are validated when drizzle writes them and as `sql.param(value, column)` in SQL text;
 * values that are read are trusted. `octavo doctor --data` validates stored values with the same schema.
 */
export const storedJson = <Value>(name: string, schema: StoredSchema<Value>) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => toStored(schema, value),
    fromDriver: (stored) => JSON.parse(stored) as Value,
  })(name);

type Decode = (value: never) => unknown;

/** Returns how a column decodes stored values, or undefined if it does not. Looking this up in an alias is slow. */
function decodeOf(column: Column): Decode | undefined {
  const read = column.mapFromDriverValue;
  return read === Column.prototype.mapFromDriverValue ? undefined : (value) => read.call(column, value);
}

/** A value that is not a column: of an expression, or, without `source`, of the query. */
export class Value<Decoded> {
  declare readonly decoded: Decoded;
  readonly decode: Decode | undefined;
  readonly nullable: boolean;
  readonly source: SQL | undefined;

  constructor(like: Column | Decode, source?: SQL) {
    const column = is(like, Column) ? like : undefined;
    this.decode = column === undefined ? (like as Decode) : decodeOf(column);
    this.nullable = column !== undefined && !column.notNull;
    this.source = source;
  }
}

export class Given<Decoded> extends Value<Decoded> {
  readonly isGiven = true;
}

export class Maybe<Of extends Field> {
  readonly of: Of;

  constructor(of: Of) {
    this.of = of;
  }
}

class Passed<Of extends Fields> {
  readonly fields: Of;

  constructor(fields: Of) {
    this.fields = fields;
  }
}

type Field = Column | Value<unknown> | Maybe<Column | Value<unknown> | Fields> | Passed<Fields> | Fields;

export interface Fields {
  readonly [name: string]: Field;
}

type DecodedBy<Like> = Like extends Column
  ? GetColumnData<Like>
  : Like extends (value: never) => infer Decoded
    ? Decoded
    : never;

/** A field with an SQL expression, decoded like a column (its type, JSON, nullability) or by a function. */
export const computed = <const Like extends Column | Decode>(like: Like, source: SQL): Value<DecodedBy<Like>> =>
  new Value(like, source);

/** A field that the query selects itself: for expressions that bind parameters, and for outer queries. */
export const given = <const Like extends Column | Decode>(like: Like): Given<DecodedBy<Like>> => new Given(like);

/** A group of fields that the query selects itself, such as `caller.*` of a subquery. */
export const passed = <const Of extends Fields>(fields: Of): Passed<Of> => new Passed(fields);

/** A nullable field, or a group of fields that is null if its first field is, as in a left join. */
export const maybe = <const Of extends Column | Value<unknown> | Fields>(of: Of): Maybe<Of> => new Maybe(of);

/** Decodes the JSON of an expression. */
export const parsed =
  <Content>() =>
  (value: string): Content =>
    JSON.parse(value) as Content;

/** The type of the records of a selection or a group of fields. */
export type RecordOf<Of> = Of extends { readonly fields: infer Own; shouldOmitSQLParens(): boolean }
  ? RecordOf<Own>
  : Of extends Column
    ? GetColumnData<Of>
    : Of extends Value<infer Decoded>
      ? Decoded
      : Of extends Maybe<infer Inner>
        ? RecordOf<Inner> | null
        : Of extends Passed<infer Inner>
          ? RecordOf<Inner>
          : { -readonly [Name in keyof Of]: RecordOf<Of[Name]> };

/** A row of a query, by column alias. */
export type Row = Record<string, string | number | null>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`Column ${column} does not contain text.`);
  return value;
}

/*
 * A record is declared once, from the columns of the tables (`aliasedTable(spaces, 's')`). The selected columns, the
 * reader of the rows and their type follow from the declaration:
 *
 *   const spaceRow = selection({
 *     id: s.id,
 *     title: s.title,
 *     head: { id: head.id, seq: head.seq },
 *     rank: given(Number),
 *   });
 *   const ofSpace = (id: string) => spaceRow.query(sql`
 *     SELECT ${spaceRow.with({ rank })} FROM spaces s CROSS JOIN revisions head ON … WHERE s.id = ${id}`);
 *   const [space] = await readRows(db, ofSpace(id)); // { id: string, title: string, head: {…}, rank: number }
 *
 * `${spaceRow}` alone selects all fields except the given ones, which the text selects itself:
 * `… AS ${spaceRow.names.rank}`. A field's name in SQL is its path in snake case: `title`, `head_seq`. `readRows`,
 * `readRow`, `runBatch` and `commit` take queries.
 */

type NamesOf<Of> = Of extends Column | Value<unknown>
  ? SQL
  : Of extends Maybe<infer Inner>
    ? NamesOf<Inner>
    : Of extends Passed<infer Inner>
      ? NamesOf<Inner>
      : { readonly [Name in keyof Of]: NamesOf<Of[Name]> };

/** Expressions for given fields, in the structure of the record. */
type Expressions<Of> =
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

/** The columns that a query selects for a record, and the reader of its rows. */
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

  /** The columns, with expressions for given fields. */
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

  /** Makes a query that reads records: SQL text, or a builder such as `db.update(…).returning()`. */
  query(text: SQLWrapper): Query<RecordOf<Of>> {
    return new Query(text.getSQL(), (row) => this.read(row));
  }

  read(row: Row): RecordOf<Of> {
    this.#reader ??= readerOf(this.fields, '', false);
    return this.#reader(row) as RecordOf<Of>;
  }
}

export const selection = <const Of extends Fields>(fields: Of): Selection<Of> => new Selection(fields);

/** The text of a statement and its parameters. */
export interface BoundText {
  sql: string;
  params: unknown[];
}

/** A statement that returns records. */
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

/** A statement without rows, or whose rows are not decoded. */
export const rawQuery = (text: SQL): Query<Row> => new Query(text, (row) => row);

/** Returns the name of a field in SQL. */
const inSql = (group: string, key: string): string =>
  `${group === '' ? '' : `${group}_`}${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** In backticks, because SQLite reads an unknown name in double quotes as a string. */
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
  if (params.length > 0) throw new TypeError(`A selection must not bind parameters: ${text}`);
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

/** Whether `lookThrough` returned the row only as the position where the list continues. */
const isOnlyLookedAt = ({ matches }: Row): boolean => matches === 0 || matches === null;

function columnOf(row: Row, name: string): Row[string] {
  const value = row[name];
  if (value === undefined) throw new TypeError(`The query returns no column ${name}.`);
  return value;
}
