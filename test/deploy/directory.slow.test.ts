import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkSettings, PlatformError } from '@octavo/platform';
import { expect, test } from 'vitest';
import { describeAccount } from './account-state.ts';
import {
  createRelease,
  createTemporaryFolder,
  findScript,
  getBuild,
  input,
  runDeploy,
  settings,
} from './deployments.ts';
import { Killed } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';

const createCell = (cell: string) => ({ ...settings, prefix: `octavo-${cell}`, cell });
const directory = { ...settings, cells: 'eu=octavo-eu us=octavo-us' };
const second = createRelease({ directory: '2' });

/** Returns an account with cells, and the folder from which they were deployed. */
async function deployCells(cells = ['eu', 'us']) {
  const [fake, folder] = [new FakeCloudflare(), createTemporaryFolder()];
  for (const cell of cells) await runDeploy(fake, { folder, settings: createCell(cell) });
  return { fake, folder };
}

async function deployAll() {
  const { fake, folder } = await deployCells();
  return { fake, folder, ...(await runDeploy(fake, { folder, settings: directory })) };
}

const getVersion = (fake: FakeCloudflare, script = 'octavo-directory') =>
  fake.getServingVersion(findScript(fake, script));

const getText = (fake: FakeCloudflare, script: string, name: string) =>
  getVersion(fake, script).bindings.find((each) => each.name === name)?.text;

test('a directory is one worker with a database, the routes of the platform, and a binding for each cell', async () => {
  const { fake, printed } = await deployAll();
  const { databases, domains, routes } = describeAccount(fake);
  const { bindings, metadata } = getVersion(fake);

  expect(databases.map(({ name, replication, tables }) => [name, replication, tables.length > 0])).toEqual([
    ['octavo-eu', 'auto', true],
    ['octavo-us', 'auto', true],
    ['octavo', 'auto', false],
  ]);
  expect([...domains, ...routes].map((each) => ('service' in each ? each.service : each.script))).toEqual([
    'octavo-directory',
    'octavo-directory',
  ]);
  expect(bindings.filter(({ type }) => type === 'service')).toEqual([
    { name: 'CELL_EU', type: 'service', service: 'octavo-eu-gateway' },
    { name: 'CELL_US', type: 'service', service: 'octavo-us-gateway' },
  ]);
  expect(getText(fake, 'octavo-directory', 'OCTAVO_CELLS')).toBe('eu us');
  expect(bindings.some(({ name }) => name === 'OCTAVO_SECRET')).toBe(false);
  // Without a placement, the directory runs near the visitor.
  expect(metadata.placement).toBeUndefined();
  expect(printed).toContain('Octavo runs at https://octavo.acme.dev.');
  expect([...fake.scripts.keys()].filter((name) => /^octavo-[a-z]+$/.test(name))).toEqual(['octavo-directory']);
});

test('all cells and the directory have the same key, which is only in a file', async () => {
  const { fake, folder } = await deployAll();
  const { directoryKey } = JSON.parse(readFileSync(path.join(folder, 'deploy.directory-key.json'), 'utf8'));
  const getKey = (script: string) => getText(fake, script, 'OCTAVO_DIRECTORY_KEY');

  expect(directoryKey).toMatch(/^[\w-]{43}$/);
  expect(['octavo-eu-org-admin', 'octavo-us-org-admin', 'octavo-directory'].map(getKey)).toEqual(
    Array(3).fill(directoryKey),
  );
  expect(getKey('octavo-eu-content')).toBeUndefined();
  expect(readFileSync(path.join(folder, 'deploy/secrets.env'), 'utf8')).not.toContain(directoryKey);
});

test('a second run, and a plan, write nothing', async () => {
  const { fake, folder } = await deployAll();
  // The directory creates its table with the first request.
  [...fake.databases.values()].at(-1)?.data.exec('CREATE TABLE entries (key TEXT)');

  expect((await runDeploy(fake, { folder, settings: directory })).writes).toEqual([]);
  expect((await runDeploy(fake, { folder, settings: directory, release: second, isPlan: true })).writes).toEqual([]);
  for (const cell of ['eu', 'us'])
    expect((await runDeploy(fake, { folder, settings: createCell(cell) })).writes).toEqual([]);
});

test('a plan for a directory names its changes', async () => {
  const { fake, folder } = await deployCells();
  const { printed, writes } = await runDeploy(fake, { folder, settings: directory, isPlan: true });

  expect(writes).toEqual([]);
  expect(printed).toMatch(
    /^It would create the database octavo in weur, with read replicas\.\nIt would deploy the worker octavo-directory\.$/m,
  );
});

test('a new version of the directory is tested before it serves requests, and a rollback returns to the former one', async () => {
  const { fake, folder } = await deployAll();
  const former = getBuild(getVersion(fake));
  const { writes, printed } = await runDeploy(fake, { folder, settings: directory, release: second });
  const script = '/workers/scripts/octavo-directory';

  expect(writes).toEqual([`POST ${script}/versions`, `POST ${script}/deployments`, `POST ${script}/deployments`]);
  expect(printed).not.toContain('could not be tested');
  expect(getBuild(getVersion(fake))).not.toBe(former);

  await runDeploy(fake, { folder, settings: directory, release: second, isRollback: true });
  expect(getBuild(getVersion(fake))).toBe(former);
});

test('a version of the directory that fails its test receives no requests', async () => {
  const { fake, folder } = await deployAll();
  const script = findScript(fake, 'octavo-directory');
  const former = getBuild(getVersion(fake));
  fake.onWrite = ({ path: written }) => {
    const uploaded = script.versions.at(-1);
    if (written.endsWith('/versions') && uploaded !== undefined) fake.brokenBuilds.add(getBuild(uploaded));
  };

  await expect(runDeploy(fake, { folder, settings: directory, release: second })).rejects.toThrow(
    'The new version of octavo-directory failed its test: https://octavo.acme.dev/directory/keys/smoke-test returned 500.',
  );
  expect(getBuild(getVersion(fake))).toBe(former);
});

test('another cell is added with a new version of the directory', async () => {
  const { fake, folder } = await deployAll();
  await runDeploy(fake, { folder, settings: createCell('ap') });
  await runDeploy(fake, { folder, settings: { ...directory, cells: `${directory.cells} ap=octavo-ap` } });

  expect(getText(fake, 'octavo-directory', 'OCTAVO_CELLS')).toBe('eu us ap');
  expect(getVersion(fake).bindings).toContainEqual({ name: 'CELL_AP', type: 'service', service: 'octavo-ap-gateway' });
});

test('a run that was killed at any call is repaired by another run', async () => {
  const one = { ...directory, cells: 'eu=octavo-eu' };
  const expected = await deployCells(['eu']);
  const { writes } = await runDeploy(expected.fake, { folder: expected.folder, settings: one });
  for (const nth of writes.keys())
    for (const isMade of [true, false]) {
      const { fake, folder } = await deployCells(['eu']);
      let count = -1;
      fake.onCall = ({ isWrite }) => {
        if (isWrite) count += 1;
        if (!isMade && count >= nth) throw new Killed();
      };
      fake.onWrite = () => {
        if (isMade && count >= nth) throw new Killed();
      };
      await expect(runDeploy(fake, { folder, settings: one })).rejects.toThrow();
      Object.assign(fake, { onCall: () => {}, onWrite: () => {} });
      await runDeploy(fake, { folder, settings: one });

      expect(describeAccount(fake)).toEqual(describeAccount(expected.fake));
      expect((await runDeploy(fake, { folder, settings: one })).writes).toEqual([]);
    }
});

test('a directory needs its cells and their key first', async () => {
  const { fake, folder } = await deployCells();
  const other = createTemporaryFolder();

  await expect(
    runDeploy(fake, { folder, settings: { ...directory, cells: 'eu=octavo-eu ap=octavo-ap' } }),
  ).rejects.toThrow('The cell ap has no worker octavo-ap-gateway. Deploy the cell before the directory.');
  await expect(runDeploy(fake, { folder: other, settings: directory })).rejects.toThrow(
    'The directory needs the key of its cells.',
  );
  await runDeploy(fake, { folder: other, settings: directory, directoryKey: 'a key from the environment' });
  expect(getText(fake, 'octavo-directory', 'OCTAVO_DIRECTORY_KEY')).toBe('a key from the environment');
});

test('a directory refuses the database of a platform', async () => {
  const fake = new FakeCloudflare();
  const folder = createTemporaryFolder();
  await runDeploy(fake, { folder });
  for (const cell of ['eu', 'us']) await runDeploy(fake, { folder, settings: createCell(cell) });

  await expect(runDeploy(fake, { folder, settings: directory, canChangeUrl: true })).rejects.toThrow(PlatformError);
});

test.each([
  [{ cells: 'eu' }, '"cells" in deploy.json must be the name and the prefix of each cell'],
  [{ cells: 'eu=octavo-eu eu=octavo-us' }, '"cells" in deploy.json must give each cell a different name.'],
  [{ cells: 'eu=octavo-eu us=octavo-eu' }, '"cells" in deploy.json must give each cell a different prefix.'],
  [{ cells: 'eu=octavo us=octavo-us' }, '"cells" in deploy.json must not contain octavo, the prefix of the directory'],
  [{ cells: 'eu=octavo-eu', cell: 'eu' }, '"cells" in deploy.json describes a directory'],
])('the settings %j are refused', (changed, message) => {
  expect(() => checkSettings({ ...input, ...changed }, 'deploy.json')).toThrow(message);
});
