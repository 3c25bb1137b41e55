import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { exportInstallation } from '../../../../packages/platform/src/export-installation.ts';
import { importInstallation } from '../../../../packages/platform/src/import-installation.ts';
import type { CallOperator } from '../../../../packages/platform/src/operator-client.ts';
import { bindDatabase, createMemoryDatabase } from '../../../../test/support/memory-database.ts';
import { handleCall, remoteCalls } from '../calls.ts';
import type { OperatorEnvironment } from '../environment.ts';

/** Returns an installation without files, and the function that calls it as its operator. */
function createInstallation() {
  const database = createMemoryDatabase();
  database.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)');
  const bucket = { list: async () => ({ objects: [], truncated: false }) };
  const env = { DB: bindDatabase(database), FILES: bucket, RENDERED: bucket, OCTAVO_SECRET: 'sixteen characters' };
  const call = async (route: string, body: unknown = {}) => {
    const handle = remoteCalls[route];
    if (handle === undefined) throw new Error(`There is no call ${route}.`);
    const response = await handleCall(handle, env as unknown as OperatorEnvironment, JSON.stringify(body));
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return { database, call: call as CallOperator };
}

/** Inserts API tokens, and as many sessions that were started with them. Half of the sessions precede all API tokens. */
function insertTokens(database: DatabaseSync, count: number): void {
  database.exec("INSERT INTO users (id, email, display_name, created_at) VALUES ('user', 'a@acme.dev', 'Ada', 1)");
  const insert = database.prepare(
    'INSERT INTO tokens (id, user, label, hash, created_at, session, parent) VALUES (?, ?, ?, ?, 1, ?, ?)',
  );
  for (let index = 0; index < count; index += 1)
    insert.run(`tok_z${index}`, 'user', 'A label '.repeat(25), `hash${index}`, null, null);
  for (let index = 0; index < count; index += 1) {
    const id = index % 2 === 0 ? `tok_a${index}` : `tok_z${index}_session`;
    insert.run(id, 'user', 'App', `session${index}`, id, `tok_z${index}`);
  }
}

test('imports thousands of tokens with the sessions that were started with them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [source, target] = [createInstallation(), createInstallation()];
  insertTokens(source.database, 2500);
  await exportInstallation(source.call, folder, { pause: 'none' });

  await importInstallation(target.call, folder, { allowsOtherSecret: false });
  const imported = target.database.prepare('SELECT COUNT(*) AS count FROM tokens').get();

  expect(imported).toEqual({ count: 5000 });
});
