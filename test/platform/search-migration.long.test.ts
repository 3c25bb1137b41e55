import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { queryDatabase, writeStoppedDatabase } from '../support/database.ts';
import { createMemoryDatabase } from '../support/memory-database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';

const migration = '0012_search.sql';

interface SchemaObject {
  type: string;
  name: string;
  sql: string;
}

const getSchemaKey = ({ name, sql }: SchemaObject) => `${name} ${sql}`;

/** Reads the tables, views, indexes and triggers before a migration, or of the current version. */
const readSchema = (before?: string): SchemaObject[] =>
  createMemoryDatabase(before)
    .prepare(
      // FTS5 creates the tables that store an index together with the index, so they are left out.
      `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
        AND name NOT GLOB 'search_index*_*' OR name GLOB 'search_index_titles' OR name GLOB 'search_index_headings'
        ORDER BY rowid`,
    )
    .all() as unknown as SchemaObject[];

const readColumns = (table: string, before?: string): string[] =>
  createMemoryDatabase(before)
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));

/**
 * Gives the database of a stopped platform the schema before the migration, so that the next start applies it and those
 * after it. Tables that exist in both schemas keep their rows, and lose only columns.
 */
function undoMigration(server: OwnPlatform): void {
  const [older, newer] = [readSchema(migration), readSchema()];
  const [olderKeys, newerKeys] = [new Set(older.map(getSchemaKey)), new Set(newer.map(getSchemaKey))];
  const olderNames = new Set(older.map(({ name }) => name));
  const isChangedTable = ({ type, name }: SchemaObject) => type === 'table' && olderNames.has(name);
  const changed = newer.filter((each) => !olderKeys.has(getSchemaKey(each)));
  for (const { type, name } of changed.filter((each) => !isChangedTable(each)))
    writeStoppedDatabase(server, `DROP ${type} IF EXISTS ${name}`);
  const changedTables = new Set(changed.filter(isChangedTable).map(({ name }) => name));
  for (const table of changedTables) {
    const before = readColumns(table, migration);
    for (const column of readColumns(table).filter((each) => !before.includes(each)))
      writeStoppedDatabase(server, `ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
  for (const { sql } of older.filter((each) => !newerKeys.has(getSchemaKey(each)) && !changedTables.has(each.name)))
    writeStoppedDatabase(server, sql);
  writeStoppedDatabase(server, 'DELETE FROM d1_migrations WHERE name >= ?', migration);
}

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

test('content that was written before the migration of the search index is found after it', async () => {
  const organization = await server.makeOrganization();
  const [live, trashed] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  const client = getClient(server, live);
  await client.change([insertPage('Walrus')]);
  await getClient(server, trashed).change([insertPage('Badger')]);
  const isSettled = () =>
    until(() => queryDatabase(server.dataDir, 'SELECT id FROM outbox WHERE done_at IS NULL').length === 0 || undefined);
  await isSettled();
  const { token, id } = trashed;
  await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' });
  await isSettled();
  await server.kill('SIGTERM');
  undoMigration(server);
  writeStoppedDatabase(
    server,
    `INSERT INTO search_sections (space, organization, page, ordinal, anchor, title, heading, body)
      VALUES (?, ?, 'pg_1', 0, '', 'Walrus', '', 'Only in the former index')`,
    ...[live.id, organization.id],
  );

  await server.restart();

  const search = async (words: string, space = client) =>
    (await space.callJson<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title);
  await until(async () => ((await search('walrus')).length > 0 ? true : undefined));
  expect(await search('walrus')).toEqual(['Walrus']);
  expect(await search('former')).toEqual([]);
  expect((await server.request(`/v1/spaces/${id}/restore`, { token, method: 'POST' })).status).toBe(200);
  await until(async () => ((await search('badger', getClient(server, trashed))).length > 0 ? true : undefined));
});
