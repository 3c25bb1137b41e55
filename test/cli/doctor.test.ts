import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import { octavo } from './octavo.ts';

let server: OwnPlatform;
let page: { branch: string; id: string; since: number; data: string };
beforeAll(async () => {
  server = await startOwnPlatform();
  const { id, token } = await server.makeSpace();
  const pages = Array.from({ length: 450 }, (_, index) => ({
    operation: 'insert_page',
    title: `Page ${index}`,
    document: { markdown: 'A walrus.' },
  }));
  for (let start = 0; start < pages.length; start += 50) {
    await json(`/v1/spaces/${id}/content`, { token, body: { changes: pages.slice(start, start + 50) } }, server);
  }
  const [row] = queryDatabase<typeof page>(
    server.dataDir,
    "SELECT branch, id, since, data FROM versions WHERE branch = ? AND kind = 'page' ORDER BY id DESC LIMIT 1",
    id,
  );
  if (row === undefined) throw new Error('No page was made.');
  page = row;
});
afterAll(() => server?.remove());

const runDoctor = (...args: string[]) => octavo({ OCTAVO_DATA: server.dataDir }, 'doctor', ...args);
const describeKey = () => `${page.branch} page ${page.id} ${page.since}`;
const store = (data: string) =>
  writeDatabase(
    server,
    'UPDATE versions SET data = ? WHERE branch = ? AND id = ? AND since = ?',
    data,
    page.branch,
    page.id,
    page.since,
  );

test('reports no errors in an intact database, also over several batches', async () => {
  const { code, stdout, stderr } = await runDoctor('--data');

  expect({ code, stderr }).toEqual({ code: 0, stderr: `Data: ${server.dataDir}\n` });
  const [, rows, tables] = /^Checked (\d+) rows of (\d+) tables: no errors\.\n$/.exec(stdout) ?? [];
  expect(Number(rows)).toBeGreaterThan(450);
  expect(Number(tables)).toBe(24);
});

describe('reports a row', () => {
  test.each([
    ['with an invalid value of a field', { fields: { type: 'walrus' } }, 'data.fields.type  '],
    ['without a required field', { fields: { title: undefined } }, 'data.fields.title  '],
    ['with an unknown field', { fields: { tusks: 2 } }, 'data.fields.tusks  is unknown'],
  ])('%s', async (_, { fields }, said) => {
    const sound = JSON.parse(page.data) as { fields: object };
    await store(JSON.stringify({ ...sound, fields: { ...sound.fields, ...fields } }));

    const { code, stdout } = await runDoctor('--data');
    await store(page.data);

    expect(code).toBe(1);
    expect(stdout.split('\n')[0]).toContain(`versions  ${describeKey()}  ${said}`);
    expect(stdout).toMatch(/ tables: 1 error\.\n$/);
  });

  test('with invalid JSON, and one in another table', async () => {
    const sound = JSON.parse(page.data) as object;
    await store(JSON.stringify({ ...sound, links: { './a.md': 7 } }));
    await writeDatabase(server, "UPDATE spaces SET merge_rules = '{' WHERE id = ?", page.branch);

    const { code, stdout } = await runDoctor('--data');
    await store(page.data);
    await writeDatabase(server, 'UPDATE spaces SET merge_rules = NULL WHERE id = ?', page.branch);

    expect(code).toBe(1);
    const [first, second, last] = stdout.split('\n');
    expect(first).toContain(`spaces  ${page.branch}  merge_rules`);
    expect(second).toContain(`versions  ${describeKey()}  data.links../a.md  `);
    expect(last).toMatch(/ tables: 2 errors\.$/);
  });
});

test('requires an option that selects the data', async () => {
  const { code, stderr } = await runDoctor();

  expect(code).toBe(2);
  expect(stderr).toContain('--data is required');
});
