import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTextFile, insertFiles } from '../content/files/file-client.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { queryDatabase } from '../support/database.ts';
import { type OwnPlatform, startOwnPlatform, startScript, until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { createTemporaryFolder, octavo, octavoProcess } from './octavo.ts';

let server: OwnPlatform;
let space: TestSpace;
beforeAll(async () => {
  server = await startOwnPlatform();
  space = await server.makeSpace();
  await insertFiles(getClient(server, space), [createTextFile('kept.txt', 'What is kept.')]);
});
afterAll(() => server?.remove());

const getEnvironment = () => ({ OCTAVO_DATA: server.dataDir });
const run = (...args: string[]) => octavo(getEnvironment(), ...args);
const readTitles = async () => (await getClient(server, space).pages()).map(({ title }) => title);

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));

test('backs up at each interval, keeps the newest backups, and shares files that never change', async () => {
  const folder = await createTemporaryFolder();
  const args = ['packages/cli/bin/octavo.mjs', 'backup', folder, '--every', '1s', '--keep', '2'];
  const { child, finished, printed } = startScript(args, getEnvironment());
  await until(() => printed().stdout.includes('Deleted 1 old backup.') || undefined);
  child.kill('SIGTERM');

  expect((await finished).code).toBe(0);
  const backups = readdirSync(folder).sort();
  expect(backups).toHaveLength(2);
  const blobs = listFiles(folder).filter((file) => file.includes('/blobs/'));
  expect(blobs).toHaveLength(2);
  expect(new Set(blobs.map((file) => statSync(file).ino)).size).toBe(1);
});

test.each([
  [['--every', '1'], '--every must be a number with a unit'],
  [['--every', '0h'], '--every must be a number with a unit'],
  [['--keep', '0'], '--keep must be a number from 1'],
])('refuses %j', async (args, message) => {
  expect(await run('backup', await createTemporaryFolder(), ...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

test('a backup without secrets contains no secret or token, not even as deleted bytes', async () => {
  const target = path.join(await createTemporaryFolder(), 'copy');
  expect(await run('backup', target, '--no-secrets')).toMatchObject({ code: 0 });

  expect(readdirSync(target).sort()).toEqual(['crons.json', 'state']);
  const hashBucketDatabases = (folder: string) =>
    listFiles(folder)
      .filter((file) => file.endsWith('.sqlite') && !file.endsWith('metadata.sqlite') && file.includes('D1'))
      .flatMap((file) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const rows = database.prepare('SELECT hash FROM tokens').all() as { hash: string }[];
        database.close();
        return rows.map(({ hash }) => hash);
      });
  const known = hashBucketDatabases(server.dataDir);
  expect(known.length).toBeGreaterThan(0);
  expect(hashBucketDatabases(target)).toEqual([]);
  const bytes = Buffer.concat(listFiles(target).map((file) => readFileSync(file)));
  for (const hash of known) expect(bytes.includes(hash)).toBe(false);
});

test('a backup without secrets can be made while an export has paused the installation', async () => {
  const target = path.join(await createTemporaryFolder(), 'copy');
  await callOperator(server.dataDir, '/export/pause', {});
  const paused = await run('backup', target, '--no-secrets');
  await callOperator(server.dataDir, '/export/resume', {});
  const countRows = (sql: string) => queryDatabase(target, `SELECT COUNT(*) AS count FROM ${sql}`);

  expect(paused).toMatchObject({ code: 0 });
  expect(countRows('tokens')).toEqual([{ count: 0 }]);
  expect(countRows("sqlite_master WHERE name LIKE 'writes_paused_%'")).toEqual([{ count: 0 }]);
});

test('restores the newest backup, and can undo the restore', { timeout: 300_000 }, async () => {
  const folder = await createTemporaryFolder();
  await getClient(server, space).change([insertPage('Before')]);
  expect(await run('backup', folder, '--keep', '3')).toMatchObject({ code: 0 });
  await getClient(server, space).change([insertPage('After')]);
  expect(await run('restore', folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') });
  await server.kill('SIGTERM');

  expect(await run('restore', folder)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Restored ${folder}/2`),
  });
  await server.restart();
  expect(await readTitles()).toEqual(['Before']);
  await server.kill('SIGTERM');

  expect(await run('restore', '--undo')).toMatchObject({ code: 0 });
  await server.restart();
  expect(await readTitles()).toEqual(['Before', 'After']);
});

test('rejects a damaged backup and changes nothing', async () => {
  const folder = await createTemporaryFolder();
  const [whole, damaged] = [path.join(folder, 'whole'), path.join(folder, 'damaged')];
  await run('backup', whole);
  await cp(whole, damaged, { recursive: true });
  const database = listFiles(damaged).find((file) => file.includes('D1') && !file.endsWith('metadata.sqlite')) ?? '';
  const bytes = readFileSync(database);
  await writeFile(database, bytes.fill(0xff, 8192, 65_536));
  const data = path.join(folder, 'data');
  await cp(whole, data, { recursive: true });

  expect(await octavo({ OCTAVO_DATA: data }, 'restore', damaged)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is damaged'),
  });
  expect(readdirSync(folder).sort()).toEqual(['damaged', 'data', 'whole']);
  expect(await octavoProcess({ OCTAVO_DATA: data }, 'restore', '--undo')).toMatchObject({ code: 1 });
});
