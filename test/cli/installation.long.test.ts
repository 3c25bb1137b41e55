import { appendFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callOperator } from '@octavo/platform';
import { pausePrefix } from '@octavo/schema';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTextFile, insertFiles } from '../content/files/file-client.ts';
import { getClient, insertPage, writePage } from '../content/space-client.ts';
import { createLongText, moveTexts, readMoved } from '../content/texts/moving.ts';
import { getBytes, getOid, put, startUpload } from '../content/uploads/upload-client.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { startEmptyPlatform } from '../support/empty-platform.ts';
import { type OwnPlatform, startOwnPlatform } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { createTemporaryFolder, octavo } from './octavo.ts';

let server: OwnPlatform;
let space: TestSpace;
/** A revision of a page whose text was moved to the bucket. */
let movedPath: string;
/** A folder with an export of the server. */
let exported: string;
const files = ['A kept file.', 'A longer file. '.repeat(60_000)];
/** A file that is so large that it is exported in several calls. */
const large = getBytes(6_000_000);

beforeAll(async () => {
  server = await startOwnPlatform();
  space = await server.makeSpace();
  const client = getClient(server, space);
  await insertFiles(client, [...files.map((text, index) => createTextFile(`file${index}.txt`, text))]);
  const { key, url } = await startUpload(space, large.length, 'large.bin', server);
  expect((await put(url, large)).ok).toBe(true);
  await client.change([{ operation: 'insert_files', files: [{ name: 'large.bin', upload: key }] }]);
  await client.change([
    insertPage('Exported', { document: { markdown: 'A line 😀 \u2028 separator\n' } }),
    insertPage('Another'),
  ]);
  const [page = ''] = await client.change([insertPage('Moved', { document: { markdown: createLongText('moved') } })]);
  movedPath = `/v1/spaces/${space.id}/revisions/${(await client.head()).id}/page/${page}`;
  await client.change([writePage(page, 'Newer.\n')]);
  await moveTexts(server, 0);
  expect(readMoved(server).size).toBe(1);
  await writeDatabase(server, "INSERT INTO feed (seq, organization, event) VALUES (1000, 'org', 'evt')");
  await writeDatabase(server, 'DELETE FROM feed WHERE seq = 1000');
  exported = path.join(await mkdtemp(path.join(tmpdir(), 'octavo-exported-')), 'export');
  expect(await run(server.dataDir, 'export', exported)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server?.remove();
  await rm(path.dirname(exported), { recursive: true, force: true });
});

const run = (dataDir: string, ...args: string[]) => octavo({ OCTAVO_DATA: dataDir }, 'installation', ...args);

/** Returns a new data folder, with the secret of the server. */
async function createDataFolder(): Promise<string> {
  const dataDir = path.join(await createTemporaryFolder(), 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await cp(path.join(server.dataDir, 'secret'), path.join(dataDir, 'secret'));
  return dataDir;
}

const tables = ['spaces', 'versions', 'documents', 'outbox', 'tokens', 'organizations', 'search_segments'];
const readTables = (dataDir: string) =>
  tables.map((table) => queryDatabase(dataDir, `SELECT * FROM ${table} ORDER BY 1, 2 LIMIT 1000`));
const readTriggers = (dataDir: string) =>
  queryDatabase(dataDir, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name");

test('imports an exported installation, with the same pages, files, tokens and triggers', {
  timeout: 300_000,
}, async () => {
  const dataDir = await createDataFolder();
  const imported = await run(dataDir, 'import', exported);

  expect(imported).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Imported and verified \d+ rows of \d+ tables, and 4 files/),
  });
  expect(readTables(dataDir)).toEqual(readTables(server.dataDir));
  expect(readTriggers(dataDir)).toEqual(readTriggers(server.dataDir));
  expect(readTriggers(dataDir).length).toBeGreaterThan(50);
  expect(queryDatabase(dataDir, "SELECT seq FROM sqlite_sequence WHERE name = 'feed'")).toEqual([{ seq: 1000 }]);
  expect(queryDatabase(dataDir, 'SELECT * FROM installation_imports')).toEqual([]);

  const copy = await startOwnPlatform({ data: dataDir });
  onTestFinished(() => copy.remove());
  const paths = [
    `/v1/spaces/${space.id}`,
    `/v1/spaces/${space.id}/content`,
    `/v1/spaces/${space.id}/content/pages`,
    movedPath,
  ];
  const readResponse = async ({ url }: { url: string }) =>
    Promise.all(
      paths.map(async (each) => {
        const response = await fetch(`${url}${each}`, { headers: { authorization: `Bearer ${space.token}` } });
        expect(response.status).toBe(200);
        return (await response.text()).replaceAll(url, '');
      }),
    );
  expect(await readResponse(copy)).toEqual(await readResponse(server));
  const { items } = await getClient(copy, space).callJson<{ items: { downloadURL: string }[] }>('/content/files');
  const bytes = await Promise.all(items.map(async ({ downloadURL }) => (await fetch(downloadURL)).bytes()));
  expect(bytes.map(getOid).toSorted()).toEqual(
    [...files.map((text) => Buffer.from(text)), large].map(getOid).toSorted(),
  );
});

/** Copies the export, which a test then changes. */
async function copyExport(): Promise<string> {
  const folder = path.join(await createTemporaryFolder(), 'export');
  await cp(exported, folder, { recursive: true });
  return folder;
}

test('rejects an export that has changed or has another secret, and an installation that has organizations', async () => {
  const [damaged, foreign] = [await copyExport(), await copyExport()];
  const [stored = ''] = globSync(`${damaged}/files/FILES/*`);
  appendFileSync(stored, 'x');
  const manifest = path.join(foreign, 'installation.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(text) as object), secret: 'other' }));
  const expectRefusal = async (folder: string, message: string) =>
    expect(await run(server.dataDir, 'import', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });

  await expectRefusal(damaged, 'is damaged');
  await expectRefusal(foreign, 'differs from that of the exported one');
  for (const [change, message] of [
    [(tables: object[]) => [...tables, { name: 'unknown', columns: ['id'], keys: ['id'] }], 'no table unknown (id)'],
    [(tables: object[]) => tables.slice(1), 'The export has no table'],
    [(tables: object[]) => tables.map((each) => ({ ...each, columns: ['id'] })), '(id). Nothing was imported.'],
  ] as const) {
    const { tables: former, ...rest } = JSON.parse(text) as { tables: object[] };
    writeFileSync(manifest, JSON.stringify({ ...rest, tables: change(former) }));
    await expectRefusal(foreign, message);
  }
  await expectRefusal(exported, 'This installation already has organizations.');
  expect(readTriggers(server.dataDir).length).toBeGreaterThan(50);
});

test('an interrupted import starts again, and crons wait until it ends', async () => {
  const target = await startEmptyPlatform({ data: await createDataFolder() });
  onTestFinished(() => target.remove());
  const { run: id } = await callOperator(target.dataDir, '/import/begin', {});
  await callOperator(target.dataDir, '/import/rows', {
    run: id,
    table: 'organizations',
    rows: [
      [
        'org_partial',
        ...queryDatabase(server.dataDir, 'SELECT * FROM organizations LIMIT 1').flatMap((row) =>
          Object.values(row).slice(1),
        ),
      ],
    ],
  });
  const readRuns = () => queryDatabase(target.dataDir, "SELECT * FROM cron_runs WHERE worker = 'content'");
  const runs = readRuns();
  await callOperator(target.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  const laterRuns = readRuns();

  const { problems } = await callOperator(target.dataDir, '/status', {});
  await callOperator(target.dataDir, '/import/begin', {});

  expect(laterRuns).toEqual(runs);
  expect(problems).toEqual([expect.stringContaining('An import has been running since 20')]);
  await expect(callOperator(target.dataDir, '/import/finish', { run: id })).rejects.toThrow('Another import');
  expect(readTriggers(target.dataDir).filter(({ name }) => !String(name).startsWith(pausePrefix))).toEqual([]);
  expect(await run(target.dataDir, 'import', '--cancel')).toMatchObject({ code: 0 });
  expect(await run(target.dataDir, 'import', '--cancel')).toMatchObject({ code: 1 });
  expect(readTriggers(target.dataDir).length).toBeGreaterThan(50);
  expect(queryDatabase(target.dataDir, 'SELECT * FROM organizations')).toEqual([]);
  expect(await run(target.dataDir, 'import', exported)).toMatchObject({ code: 0 });
  expect(readTriggers(target.dataDir).length).toBeGreaterThan(50);
  expect(queryDatabase(target.dataDir, "SELECT * FROM organizations WHERE id = 'org_partial'")).toEqual([]);
});

test('returns 503 for all requests during an import, and no other writer adds rows', { timeout: 300_000 }, async () => {
  const target = await startEmptyPlatform({ data: await createDataFolder() });
  onTestFinished(() => target.remove());
  const expected = [
    // Before the import, only the former token is valid. After it, only the imported token is valid.
    ['read', 200],
    ['read', 401],
    ['read', 503],
    ['write', 401],
    ['write', 503],
  ];
  const seen = new Set<string>();
  let isRunning = true;
  const imported = run(target.dataDir, 'import', exported).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    const response = await target.request(`/v1/spaces/${space.id}/content/pages`, { token: space.token });
    seen.add(JSON.stringify(['read', response.status]));
    if (response.status !== 503) continue;
    expect(response.headers.get('retry-after')).toBe('10');
    const write = await target.request('/v1/orgs', { token: target.token, body: { title: 'Created meanwhile' } });
    seen.add(JSON.stringify(['write', write.status]));
  }

  expect(await imported).toMatchObject({ code: 0 });
  expect(expected.map((each) => JSON.stringify(each))).toEqual(expect.arrayContaining([...seen]));
  expect([...seen]).toEqual(expect.arrayContaining(['["read",503]', '["write",503]']));
  for (const table of ['organizations', 'users', 'spaces', 'versions'])
    expect(queryDatabase(target.dataDir, `SELECT * FROM ${table} ORDER BY 1, 2`)).toEqual(
      queryDatabase(server.dataDir, `SELECT * FROM ${table} ORDER BY 1, 2`),
    );
});

test('rejects changes while the export is paused, and reports an export as incomplete if changes happened meanwhile', async () => {
  await callOperator(server.dataDir, '/export/pause', {});
  const client = getClient(server, space);
  const response = await client.edit([insertPage('Refused')]);
  const readResponse = await fetch(`${server.url}/v1/user`, { headers: { authorization: `Bearer ${server.token}` } });
  const readRuns = () => queryDatabase(server.dataDir, "SELECT * FROM cron_runs WHERE worker = 'content'");
  const runs = readRuns();
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

  expect(readRuns()).toEqual(runs);
  const folder = path.join(await createTemporaryFolder(), 'export');
  expect(await run(server.dataDir, 'export', folder, '--keep-paused')).toMatchObject({ code: 0 });
  const edit = await client.edit([insertPage('Refused too')]);
  const intoPaused = await run(server.dataDir, 'import', folder);
  expect(await run(server.dataDir, 'resume')).toMatchObject({ code: 0 });

  expect([response.status, readResponse.status, edit.status]).toEqual([503, 200, 503]);
  expect(intoPaused).toMatchObject({ code: 1, stderr: expect.stringContaining('is paused') });
  expect(existsSync(path.join(folder, 'installation.json'))).toBe(true);
  expect((await client.edit([insertPage('Accepted')])).status).toBe(200);

  const changed = path.join(await createTemporaryFolder(), 'export');
  const exporting = run(server.dataDir, 'export', changed);
  for (let edits = 0; edits < 5; edits += 1) await client.change([insertPage(`Edit ${edits}`)]);
  expect(await exporting).toMatchObject({ code: 1, stderr: expect.stringContaining('--pause') });
  expect(await run(server.dataDir, 'import', changed)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('incomplete'),
  });
});

test('does not write into a folder with other files', async () => {
  const folder = await createTemporaryFolder();
  writeFileSync(path.join(folder, 'other.txt'), '');

  expect(await run(server.dataDir, 'export', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });
});
