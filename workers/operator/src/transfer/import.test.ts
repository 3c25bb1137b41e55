import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { bindDatabase, createMemoryDatabase } from '../../../../test/support/memory-database.ts';
import type { Body, OperatorEnvironment } from '../environment.ts';
import { clearTable, finishImport, insertRows, setSequence } from './import.ts';

/** Runs a call of an import. The import ends or restarts (`end`) after the call is accepted and before it writes. */
async function callDuring(
  call: (env: OperatorEnvironment, body: Body) => Promise<object>,
  body: Body,
  end: (database: DatabaseSync) => void,
) {
  const database = createMemoryDatabase();
  database.exec("INSERT INTO installation_imports VALUES ('first', 1, '[]')");
  database.exec("INSERT INTO dead_letters VALUES ('before', 'events', '{}', 0, 1)");
  const binding = bindDatabase(database, (sql) => {
    if (!sql.startsWith('SELECT id, triggers')) end(database);
  });
  await expect(call({ DB: binding } as unknown as OperatorEnvironment, { run: 'first', ...body })).rejects.toThrow(
    /No import is running|Another import was started/,
  );
  return [
    ...database.prepare('SELECT id FROM dead_letters').all(),
    ...database.prepare('SELECT seq FROM feed').all(),
    ...database.prepare("SELECT id FROM installation_imports WHERE id = 'writing'").all(),
  ];
}

test.each([
  ['has ended', (database: DatabaseSync) => database.exec('DELETE FROM installation_imports WHERE started_at > 0')],
  ['was started again', (database: DatabaseSync) => database.exec("UPDATE installation_imports SET id = 'second'")],
])('writes nothing if the import %s since the call was accepted', async (_, end) => {
  const rows = [['after', 'events', '{}', 0, 2]];

  expect(await callDuring(insertRows, { table: 'dead_letters', rows }, end)).toEqual([{ id: 'before' }]);
  expect(await callDuring(clearTable, { table: 'dead_letters' }, end)).toEqual([{ id: 'before' }]);
  expect(await callDuring(finishImport, {}, end)).toEqual([{ id: 'before' }]);
  expect(await callDuring(setSequence, { name: 'feed', seq: 7 }, end)).toEqual([{ id: 'before' }]);
});
