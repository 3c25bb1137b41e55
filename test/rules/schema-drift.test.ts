import * as database from '@octavo/db';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, test } from 'vitest';
import { query } from '../support/database.ts';

const tables = Object.values<unknown>(database).filter((value): value is SQLiteTable => is(value, SQLiteTable));

interface Column {
  name: string;
  type: string;
  notNull: boolean;
  default: string | null;
  /** The column's position in the primary key, starting at 1, or 0. */
  key: number;
}

const compareNames = (one: Column, other: Column) => one.name.localeCompare(other.name);

function toLiteral(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' ? String(value) : `'${String(value)}'`;
}

function readDeclaredColumns(table: SQLiteTable): Column[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const composite = primaryKeys[0]?.columns.map(({ name }) => name) ?? [];
  return columns
    .map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      notNull: column.notNull,
      default: toLiteral(column.default === undefined ? undefined : column.mapToDriverValue(column.default)),
      key: column.primary ? 1 : composite.indexOf(column.name) + 1,
    }))
    .sort(compareNames);
}

/** Returns the columns without generated ones, which exist only to be indexed and are not declared in drizzle. */
function readMigratedColumns(name: string): Column[] {
  const columns = query<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
    'SELECT * FROM pragma_table_xinfo(?) WHERE hidden = 0',
    name,
  );
  return columns
    .map(({ name, type, notnull, dflt_value, pk }) => ({
      name,
      type: type.toLowerCase(),
      notNull: notnull === 1,
      default: dflt_value,
      key: pk,
    }))
    .sort(compareNames);
}

/** The tables, without those that are only kept for the previous version. */
const keptTables = query<{ name: string }>(
  `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_index\\_%' ESCAPE '\\'
    AND name NOT IN ('search_index', 'search_sections', 'search_pages', 'search_conditions')
    AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'd1_migrations' ORDER BY name`,
).map(({ name }) => name);

test('the migrated database has exactly the tables of packages/db', () => {
  expect(tables.map((table) => getTableConfig(table).name).sort()).toEqual(keptTables);
});

describe.each(tables.map((table) => ({ table, name: getTableConfig(table).name })))('$name', ({ table, name }) => {
  test('has the columns, types, nullability, defaults and primary key that its table in packages/db declares', () => {
    expect(readDeclaredColumns(table)).toEqual(readMigratedColumns(name));
  });
});
