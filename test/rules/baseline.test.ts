import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';

interface Entry {
  type: string;
  name: string;
  table: string;
  sql: string;
}

function migrated(folder: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const files = path.resolve(import.meta.dirname, folder);
  for (const name of readdirSync(files).toSorted()) database.exec(readFileSync(path.join(files, name), 'utf8'));
  return database;
}

/** The text of a statement as tokens, without comments and whitespace. */
const tokensOf = (sql: string): string =>
  (sql.replace(/--.*$/gm, '').match(/'(?:[^']|'')*'|[\w$]+|\S/g) ?? []).join(' ');

/** The statements for each table, with its indexes and its triggers in their order: SQLite plans and runs by it. */
function schemaOf(database: DatabaseSync): Record<string, string[]> {
  const entries = database
    .prepare(
      `SELECT type, name, tbl_name AS 'table', sql FROM sqlite_master
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY tbl_name, type, rowid`,
    )
    .all() as unknown as Entry[];
  const byTable = Map.groupBy(entries, ({ table }) => table);
  return Object.fromEntries(Array.from(byTable, ([table, each]) => [table, each.map(({ sql }) => tokensOf(sql))]));
}

/** What the search indexes are configured with: the only rows that migrations insert. */
const configurationOf = (database: DatabaseSync) =>
  ['search_index', 'search_index_titles', 'search_index_headings'].map((name) =>
    database.prepare(`SELECT * FROM ${name}_config ORDER BY k`).all(),
  );

const rowsOf = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'search_index*_*'")
    .all()
    .filter(({ name }) => database.prepare(`SELECT 1 FROM ${String(name)} LIMIT 1`).get() !== undefined)
    .map(({ name }) => name)
    .filter((name) => name !== 'sqlite_sequence');

test('the baseline creates the schema that the former migrations led to', () => {
  const [former, baseline] = [migrated('former-migrations'), migrated('../../migrations')];

  expect(schemaOf(baseline)).toEqual(schemaOf(former));
  expect(configurationOf(baseline)).toEqual(configurationOf(former));
  expect([rowsOf(baseline), rowsOf(former)]).toEqual([[], []]);
});
