import { customType } from 'drizzle-orm/sqlite-core';

/** What a zod schema does. */
export interface StoredSchema<Value> {
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
