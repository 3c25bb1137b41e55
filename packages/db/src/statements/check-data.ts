import type { Issue } from '@octavo/schema';
import { is, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { getTableConfig, SQLiteCustomColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../connect.ts';
import type { Row } from '../selection.ts';
import { getText } from '../selection.ts';

const rowsPerChunk = 200;

/** An invalid JSON value: its table, the key of its row, and the path from its column. */
interface DataFault extends Issue {
  table: string;
  key: string;
}

/** The position where a check continues: after the row with this key, in its table. */
export interface DataPosition {
  table: string;
  after: (string | number)[];
}

/** The result of checking one chunk of a table: the table and the number of checked rows. */
export interface DataChunk {
  table: string;
  rows: number;
  faults: DataFault[];
  next: DataPosition | null;
}

/** Returns the value that the current code would write for a stored value. @throws ZodError */
type Rewrite = (stored: unknown, row: Row) => unknown;

/** A table and its JSON columns, each with a function that validates its values. */
export interface StoredTable {
  table: SQLiteTable;
  name: string;
  keys: string[];
  columns: [name: string, rewrite: Rewrite][];
}

/**
 * Returns the JSON columns of a table. Each has the schema of its declaration, or the function in `overrides` if the
 * schema depends on the row.
 */
export function getStoredTable(table: SQLiteTable, overrides: Record<string, Rewrite> = {}): StoredTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const keys = columns.filter(({ primary }) => primary);
  const declared = columns
    .filter((column) => is(column, SQLiteCustomColumn))
    .map((column): [string, Rewrite] => [
      column.name,
      (value) => JSON.parse(String(column.mapToDriverValue(value))) as unknown,
    ]);
  return {
    table,
    name,
    keys: (keys.length > 0 ? keys : (primaryKeys[0]?.columns ?? [])).map((column) => column.name),
    columns: Object.entries({ ...Object.fromEntries(declared), ...overrides }),
  };
}

/** Checks the next JSON values of the tables, in the order of their keys. */
export async function checkData(db: Database, tables: StoredTable[], from?: DataPosition): Promise<DataChunk> {
  const index = from === undefined ? 0 : tables.findIndex(({ name }) => name === from.table);
  const table = tables[index];
  if (table === undefined) throw new TypeError(`The table ${from?.table} has no JSON columns.`);
  const rows = await readRowsAfter(db, table, from?.after ?? []);
  const last = rows.length < rowsPerChunk ? undefined : rows.at(-1);
  const following = tables[index + 1];
  return {
    table: table.name,
    rows: rows.length,
    faults: rows.flatMap((row) => findFaults(table, row)),
    next:
      last !== undefined
        ? { table: table.name, after: getKey(table, last) }
        : following === undefined
          ? null
          : { table: following.name, after: [] },
  };
}

function readRowsAfter(db: Database, { table, keys }: StoredTable, after: DataPosition['after']): Promise<Row[]> {
  const key = sql.raw(keys.join(', '));
  const position = sql.join(
    after.map((value) => sql`${value}`),
    sql`, `,
  );
  const condition = after.length === 0 ? sql`` : sql`WHERE (${key}) > (${position})`;
  return db.all<Row>(sql`SELECT * FROM ${table} ${condition} ORDER BY ${key} LIMIT ${rowsPerChunk}`);
}

const getKey = ({ keys }: StoredTable, row: Row) => keys.map((key) => row[key] ?? '');

function findFaults(table: StoredTable, row: Row): DataFault[] {
  const location = { table: table.name, key: getKey(table, row).join(' ') };
  return table.columns
    .filter(([column]) => row[column] !== null)
    .flatMap(([column, rewrite]) => findIssues(column, row, rewrite).map((issue) => ({ ...location, ...issue })));
}

function findIssues(column: string, row: Row, rewrite: Rewrite): Issue[] {
  try {
    const storedValue: unknown = JSON.parse(getText(row, column));
    return findDifferences(storedValue, rewrite(storedValue, row), column);
  } catch (error) {
    if (error instanceof Error && 'issues' in error) return (error.issues as FoundIssue[]).map(toIssue(column));
    return [{ path: column, message: error instanceof Error ? error.message : String(error) }];
  }
}

interface FoundIssue {
  path: PropertyKey[];
  message: string;
}

const toIssue =
  (column: string) =>
  ({ path, message }: FoundIssue): Issue => ({ path: [column, ...path.map(String)].join('.'), message });

/**
 * Returns the differences between a stored value and the one that the current code would write: missing defaults and
 * unknown keys.
 */
function findDifferences(storedValue: unknown, writtenValue: unknown, path: string): Issue[] {
  if (!isObject(storedValue) || !isObject(writtenValue)) {
    return storedValue === writtenValue
      ? []
      : [{ path, message: `would be written as ${JSON.stringify(writtenValue)}` }];
  }
  return [...new Set([...Object.keys(storedValue), ...Object.keys(writtenValue)])].flatMap((key) => {
    if (!Object.hasOwn(storedValue, key)) return [{ path: `${path}.${key}`, message: 'is missing' }];
    if (!Object.hasOwn(writtenValue, key)) return [{ path: `${path}.${key}`, message: 'is unknown' }];
    return findDifferences(storedValue[key], writtenValue[key], `${path}.${key}`);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
