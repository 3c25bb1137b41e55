import type { GetColumnData, SQL } from 'drizzle-orm';
import { Column, is } from 'drizzle-orm';
import { customType } from 'drizzle-orm/sqlite-core';

/** What a zod schema does. */
interface StoredSchema<Value> {
  parse(value: unknown): Value;
}

/** What is stored of a value, once the schema has looked at it. @throws ZodError */
export const toStored = <Value>(schema: StoredSchema<Value>, value: Value): string =>
  JSON.stringify(schema.parse(value));

/**
 * A column of JSON. Its values are checked when drizzle writes them, and as `sql.param(value, column)` in a text; what
 * is read is trusted. The same schema checks what is there for `octavo doctor --data`.
 */
export const storedJson = <Value>(name: string, schema: StoredSchema<Value>) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => toStored(schema, value),
    fromDriver: (stored) => JSON.parse(stored) as Value,
  })(name);

export type Decode = (value: never) => unknown;

/** How a column reads what is stored; undefined where that is the value. A column of an alias is slow to ask each time. */
export function decodeOf(column: Column): Decode | undefined {
  const read = column.mapFromDriverValue;
  return read === Column.prototype.mapFromDriverValue ? undefined : (value) => read.call(column, value);
}

/** A value that is no column: of an expression, or without one as the query gives it. */
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

export class Passed<Of extends Fields> {
  readonly fields: Of;

  constructor(fields: Of) {
    this.fields = fields;
  }
}

export type Field = Column | Value<unknown> | Maybe<Column | Value<unknown> | Fields> | Passed<Fields> | Fields;

export interface Fields {
  readonly [name: string]: Field;
}

export type DecodedBy<Like> = Like extends Column
  ? GetColumnData<Like>
  : Like extends (value: never) => infer Decoded
    ? Decoded
    : never;

/** An expression, read like a column (its type, JSON, whether it may be null) or through a function. */
export const computed = <const Like extends Column | Decode>(like: Like, source: SQL): Value<DecodedBy<Like>> =>
  new Value(like, source);

/** What the query itself gives under the field's name: for expressions that bind parameters, and for outer queries. */
export const given = <const Like extends Column | Decode>(like: Like): Given<DecodedBy<Like>> => new Given(like);

/** A group that the query gives as a whole, as `caller.*` of a subquery that selected it. */
export const passed = <const Of extends Fields>(fields: Of): Passed<Of> => new Passed(fields);

/** What may be null, as of a left join: a field, or a group of fields, which is null where its first is. */
export const maybe = <const Of extends Column | Value<unknown> | Fields>(of: Of): Maybe<Of> => new Maybe(of);

/** JSON of an expression that no column has. */
export const parsed =
  <Content>() =>
  (value: string): Content =>
    JSON.parse(value) as Content;

/** What a selection, or a group of fields, is read as. */
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
