import type { GetColumnData, SQLWrapper } from 'drizzle-orm';
import { Column, is, SQL, sql } from 'drizzle-orm';
import { customType } from 'drizzle-orm/sqlite-core';
import { dialect } from './dialect.ts';

/** The part of a zod schema that is used here. */
interface StoredSchema<Value> {
  parse(value: unknown): Value;
}

/** Validates a value and returns its stored form. @throws ZodError */
export const serializeStored = <Value>(schema: StoredSchema<Value>, value: Value): string =>
  JSON.stringify(schema.parse(value));

/**
 * Declares a JSON column. Values are validated when drizzle writes them and as `sql.param(value, column)` in SQL text;
 * values that are read are trusted. `octavo doctor --data` validates stored values with the same schema.
 */
export const storedJson = <Value>(name: string, schema: StoredSchema<Value>) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => serializeStored(schema, value),
    fromDriver: (stored) => JSON.parse(stored) as Value,
  })(name);

type Decode = (value: never) => unknown;

/** Returns how a column decodes stored values, or undefined if it does not. Looking this up in an alias is slow. */
function getDecoder(column: Column): Decode | undefined {
  const decode = column.mapFromDriverValue;
  return decode === Column.prototype.mapFromDriverValue ? undefined : (value) => decode.call(column, value);
}

/**
 * A field that is not a column. The SQL expression `source` computes its value. Without `source`, the query itself must
 * select the value.
 */
export class Value<Decoded> {
  declare readonly decoded: Decoded;
  readonly decode: Decode | undefined;
  readonly nullable: boolean;
  readonly source: SQL | undefined;

  constructor(like: Column | Decode, source?: SQL) {
    const column = is(like, Column) ? like : undefined;
    this.decode = column === undefined ? (like as Decode) : getDecoder(column);
    this.nullable = column !== undefined && !column.notNull;
    this.source = source;
  }
}

export class QueryValue<Decoded> extends Value<Decoded> {
  readonly isFromQuery = true;
}

export class Nullable<Of extends Field> {
  readonly inner: Of;

  constructor(inner: Of) {
    this.inner = inner;
  }
}

class QueryGroup<Of extends Fields> {
  readonly fields: Of;

  constructor(fields: Of) {
    this.fields = fields;
  }
}

type Field = Column | Value<unknown> | Nullable<Column | Value<unknown> | Fields> | QueryGroup<Fields> | Fields;

export interface Fields {
  readonly [name: string]: Field;
}

type DecodedBy<Like> = Like extends Column
  ? GetColumnData<Like>
  : Like extends (value: never) => infer Decoded
    ? Decoded
    : never;

/** A field with an SQL expression. `like` is its decoder, or a column with the same decoding and nullability. */
export const computed = <const Like extends Column | Decode>(like: Like, source: SQL): Value<DecodedBy<Like>> =>
  new Value(like, source);

/** A field that the query selects itself: for expressions that bind parameters, and for outer queries. */
export const fromQuery = <const Like extends Column | Decode>(like: Like): QueryValue<DecodedBy<Like>> =>
  new QueryValue(like);

/** A group of fields that the query selects itself, such as `caller.*` of a subquery. */
export const groupFromQuery = <const Of extends Fields>(fields: Of): QueryGroup<Of> => new QueryGroup(fields);

/** A nullable field, or a group of fields that is null if its first field is, as in a left join. */
export const nullable = <const Of extends Column | Value<unknown> | Fields>(inner: Of): Nullable<Of> =>
  new Nullable(inner);

/** Decodes the JSON of an expression. */
export const fromJson =
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
      : Of extends Nullable<infer Inner>
        ? RecordOf<Inner> | null
        : Of extends QueryGroup<infer Inner>
          ? RecordOf<Inner>
          : { -readonly [Name in keyof Of]: RecordOf<Of[Name]> };

/** A row of a query, by column alias. */
export type Row = Record<string, string | number | null>;

export function getText(row: Row, column: string): string {
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
 *     rank: fromQuery(Number),
 *   });
 *   const selectSpace = (id: string) => spaceRow.query(sql`
 *     SELECT ${spaceRow.with({ rank })} FROM spaces s CROSS JOIN revisions head ON … WHERE s.id = ${id}`);
 *   const [space] = await readRows(db, selectSpace(id)); // { id: string, title: string, head: {…}, rank: number }
 *
 * `${spaceRow}` alone selects all fields except those of `fromQuery`, which the text selects itself:
 * `… AS ${spaceRow.names.rank}`. A field's name in SQL is its path in snake case: `title`, `head_seq`. `readRows`,
 * `readRow`, `runBatch` and `commit` take queries.
 */

type NamesOf<Of> = Of extends Column | Value<unknown>
  ? SQL
  : Of extends Nullable<infer Inner>
    ? NamesOf<Inner>
    : Of extends QueryGroup<infer Inner>
      ? NamesOf<Inner>
      : { readonly [Name in keyof Of]: NamesOf<Of[Name]> };

/** Expressions for the `fromQuery` fields, in the structure of the record. */
type Expressions<Of> =
  Of extends QueryValue<unknown>
    ? SQLWrapper
    : Of extends Column | Value<unknown> | QueryGroup<Fields>
      ? never
      : Of extends Nullable<infer Inner>
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
    this.#names ??= toNames(this.fields, '') as NamesOf<Of>;
    return this.#names;
  }

  /** The columns as drizzle's query builder selects them; see `prepareQuery`. */
  get columns(): Record<string, SQL.Aliased> {
    return Object.fromEntries(toColumns(this.fields, '').map(({ name, text }) => [name, sql.raw(text).as(name)]));
  }

  getSQL(): SQL {
    return sql.raw(this.#renderFields());
  }

  shouldOmitSQLParens(): boolean {
    return true;
  }

  /** The columns, with expressions for the `fromQuery` fields. */
  with(expressions: Expressions<Of>): SQL {
    const aliases = toAliases(expressions as Expressed, '');
    return sql.join(this.#renderFields() === '' ? aliases : [this.getSQL(), ...aliases], sql`, `);
  }

  #renderFields(): string {
    this.#text ??= toColumns(this.fields, '')
      .map(({ name, text }) => `${text} AS \`${name}\``)
      .join(', ');
    return this.#text;
  }

  /**
   * Creates a query whose rows are read as records. `text` is SQL or a drizzle builder such as
   * `db.update(…).returning()`.
   */
  query(text: SQLWrapper): Query<RecordOf<Of>> {
    return new Query(text.getSQL(), (row) => this.read(row));
  }

  read(row: Row): RecordOf<Of> {
    this.#reader ??= createReader(this.fields, '', false);
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

  constructor(source: SQL | BoundText, readRow: (row: Row) => Record) {
    this.#source = source;
    this.read = readRow;
  }

  getQuery(): BoundText {
    return this.#source instanceof SQL ? dialect.sqlToQuery(this.#source) : this.#source;
  }
}

/** A statement without rows, or whose rows are not decoded. */
export const rawQuery = (text: SQL): Query<Row> => new Query(text, (row) => row);

/** Returns the name of a field in SQL. */
const toSqlName = (group: string, key: string): string =>
  `${group === '' ? '' : `${group}_`}${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** The quotes are backticks, because SQLite reads an unknown name in double quotes as a string. */
const quote = (name: string): SQL => sql.raw(`\`${name}\``);

const toAliases = (expressions: Expressed, group: string): SQL[] =>
  Object.entries(expressions).flatMap(([key, source]) =>
    isWrapper(source) ? [sql`${source} AS ${quote(toSqlName(group, key))}`] : toAliases(source, toSqlName(group, key)),
  );

const isWrapper = (source: SQLWrapper | Expressed): source is SQLWrapper => typeof source.getSQL === 'function';

function toColumns(field: Field, name: string): { name: string; text: string }[] {
  if (field instanceof QueryGroup) return [];
  if (field instanceof Nullable) return toColumns(field.inner, name);
  if (field instanceof Value) return field.source === undefined ? [] : [{ name, text: toText(field.source) }];
  if (is(field, Column)) return [{ name, text: toText(field) }];
  return toParts(field, name).flatMap(([, part, alias]) => toColumns(part, alias));
}

function toText(source: Column | SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(sql`${source}`);
  if (params.length > 0) throw new TypeError(`A selection must not bind parameters: ${text}`);
  return text;
}

const toParts = (fields: Fields, name: string): [key: string, part: Field, named: string][] =>
  Object.entries(fields).map(([key, part]) => [key, part, toSqlName(name, key)]);

function toNames(field: Field, name: string): unknown {
  if (field instanceof Nullable) return toNames(field.inner, name);
  if (field instanceof QueryGroup) return toNames(field.fields, name);
  if (field instanceof Value || is(field, Column)) return quote(name);
  return Object.fromEntries(toParts(field, name).map(([key, part, alias]) => [key, toNames(part, alias)]));
}

function createReader(field: Field, name: string, nullable: boolean): Reader {
  if (field instanceof Nullable) return createReader(field.inner, name, true);
  if (field instanceof QueryGroup) return createReader(field.fields, name, nullable);
  if (field instanceof Value) return createValueReader(name, field.decode, nullable || field.nullable);
  if (is(field, Column)) return createValueReader(name, getDecoder(field), nullable || !field.notNull);
  const readGroup = createGroupReader(field, name);
  const first = findFirstName(field, name);
  return nullable ? (row) => (getColumn(row, first) === null ? null : readGroup(row)) : readGroup;
}

function createGroupReader(fields: Fields, name: string): Reader {
  const readers = toParts(fields, name).map(([key, part, alias]) => [key, createReader(part, alias, false)] as const);
  return (row) => {
    const record: Record<string, unknown> = {};
    for (const [key, readField] of readers) record[key] = readField(row);
    return record;
  };
}

function findFirstName(field: Field, name: string): string {
  if (field instanceof QueryGroup) return findFirstName(field.fields, name);
  if (field instanceof Nullable || field instanceof Value || is(field, Column)) return name;
  const [first] = toParts(field, name);
  return first === undefined ? name : findFirstName(first[1], first[2]);
}

const createValueReader =
  (name: string, decode: Decode | undefined, nullable: boolean): Reader =>
  (row) => {
    const value = getColumn(row, name);
    if (value !== null) return decode === undefined ? value : decode(value as never);
    if (nullable || isOnlyScanned(row)) return null;
    throw new TypeError(`The column ${name} is null.`);
  };

/** Whether `scanRows` returned the row only to mark the position at which the list continues. */
const isOnlyScanned = ({ matches }: Row): boolean => matches === 0 || matches === null;

function getColumn(row: Row, name: string): Row[string] {
  const value = row[name];
  if (value === undefined) throw new TypeError(`The query returns no column ${name}.`);
  return value;
}
