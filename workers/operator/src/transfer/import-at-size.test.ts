import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportInstallation } from '../../../../packages/platform/src/export-installation.ts';
import { importInstallation } from '../../../../packages/platform/src/import-installation.ts';
import type { CallOperator } from '../../../../packages/platform/src/operator-client.ts';
import { insertTokens } from '../../../../test/support/insert-tokens.ts';
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
