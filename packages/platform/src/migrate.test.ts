import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrate } from './migrate.ts';
import type { CallWorker } from './operator.ts';

test('rejects a database of another version and says how to move its content', async () => {
  const call: CallWorker = async () => ({
    status: 200,
    body: { rows: [[], [{ name: '0001_organizations.sql' }], []] },
  });

  await expect(migrate(call, [{ name: '0001_org_admin.sql', statements: [] }])).rejects.toThrow(
    /0001_organizations\.sql is unknown here\..* `octavo export .* empty data folder .* `octavo import /,
  );
});

test('rejects a database that does not enforce foreign keys, and changes nothing', async () => {
  const statements: string[][] = [];
  const call: CallWorker = async (_, input) => {
    statements.push((input as { statements: { sql: string }[] }).statements.map(({ sql }) => sql));
    return { status: 200, body: { rows: [[], [], [{ foreign_keys: 0 }]] } };
  };

  await expect(migrate(call, [{ name: '0001_a.sql', statements: ['CREATE TABLE a (id)'] }])).rejects.toThrow(
    'does not enforce foreign keys',
  );
  expect(statements.flat()).not.toContain('CREATE TABLE a (id)');
});

test('rejects a migration while an import runs, and names the command that ends it', async () => {
  const database = new DatabaseSync(':memory:');
  const call: CallWorker = async (_, input) => {
    const { statements } = input as { statements: { sql: string; values?: string[] }[] };
    return {
      status: 200,
      body: { rows: statements.map(({ sql, values = [] }) => database.prepare(sql).all(...values)) },
    };
  };
  const first = { name: '0001_a.sql', statements: ['CREATE TABLE installation_imports (id TEXT)'] };
  const second = { name: '0002_b.sql', statements: ['CREATE TABLE b (id TEXT)'] };
  expect(await migrate(call, [first])).toEqual(['0001_a.sql']);
  database.exec("INSERT INTO installation_imports VALUES ('a')");

  await expect(migrate(call, [first, second])).rejects.toThrow('octavo installation import --cancel');
  expect(await migrate(call, [first])).toEqual([]);
  database.exec('DELETE FROM installation_imports');
  expect(await migrate(call, [first, second])).toEqual(['0002_b.sql']);
});
