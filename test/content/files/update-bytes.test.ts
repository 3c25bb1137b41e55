import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import type { Change, SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { createFiles, createPixel, createTextFile } from './file-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const readFile = (id: string, branch = '') => space.callJson<TestFile>(`${branch}/content/files/${id}`);
const getText = async ({ downloadURL }: TestFile) => (await fetch(downloadURL)).text();
const updateBytes = (file: string, text: string, more: object = {}): Change => {
  const { base64, contentType } = createTextFile('', text);
  return { operation: 'update_file', file, base64, contentType, ...more };
};
async function createFile(name: string, text: string): Promise<TestFile> {
  const [file] = await createFiles(space, [createTextFile(name, text, { git: { path: `docs/${name}` } })]);
  if (file === undefined) throw new Error('The file was not inserted.');
  return file;
}

test('replaces the bytes of a file and keeps its ID, name and source', async () => {
  const file = await createFile('a.txt', 'first\n');
  const { body } = await space.edit([updateBytes(file.id, 'second one\n')]);
  const oid = createHash('sha1').update('blob 11\0second one\n').digest('hex');
  const now = await readFile(file.id);

  expect(body.changes).toEqual([{ object: 'updated_file', file: file.id }]);
  expect(now).toMatchObject({ id: file.id, name: 'a.txt', size: 11, git: { oid, path: 'docs/a.txt' } });
  expect(await getText(now)).toBe('second one\n');
  expect(await getText(file)).toBe('first\n');
});

test('changing the bytes changes the type and the dimensions', async () => {
  const file = await createFile('a.txt', 'words');
  const { base64, contentType } = createPixel('');
  await space.edit([{ operation: 'update_file', file: file.id, base64, contentType, name: 'a.png' }]);
  const image = await readFile(file.id);
  await space.edit([updateBytes(file.id, '<html><script>alert(1)</script>', { contentType: 'text/html' })]);

  expect(image).toMatchObject({ name: 'a.png', contentType: 'image/png', dimensions: { width: 1, height: 1 } });
  expect(await readFile(file.id)).toMatchObject({ name: 'a.png', contentType: 'text/plain' });
  expect(await readFile(file.id)).not.toHaveProperty('dimensions');
});

test('the file name still decides the type of a text', async () => {
  const file = await createFile('table.csv', 'a,b\n');
  await space.edit([updateBytes(file.id, 'c,d\n', { contentType: 'application/octet-stream' })]);
  expect((await readFile(file.id)).contentType).toBe('text/csv');

  await space.edit([updateBytes(file.id, '{}', { name: 'table.json' })]);
  expect((await readFile(file.id)).contentType).toBe('application/json');
});

test('fetches the new bytes from a URL', async () => {
  const file = await createFile('a.txt', 'first');
  const url = await serveLocally((_, response) => response.end('fetched'));
  expect((await space.edit([{ operation: 'update_file', file: file.id, url }])).status).toBe(200);

  expect(await getText(await readFile(file.id))).toBe('fetched');
});

describe('in a change request', () => {
  test('merges new bytes with a new name in main', async () => {
    const file = await createFile('a.txt', 'first');
    const branch = await space.open();
    await space.edit([updateBytes(file.id, 'second')], branch);
    await space.edit([{ operation: 'update_file', file: file.id, name: 'b.txt' }]);

    expect(await getText(await readFile(file.id))).toBe('first');
    expect((await space.merge(branch)).body.result).toBe('merge');
    const merged = await readFile(file.id);
    expect([merged.name, await getText(merged)]).toEqual(['b.txt', 'second']);
  });

  test('different new bytes on both sides are one conflict, and equal new bytes are not a conflict', async () => {
    const [clashing, equal] = [await createFile('a.txt', 'first'), await createFile('b.txt', 'first')];
    const branch = await space.open();
    await space.edit([updateBytes(clashing.id, 'theirs'), updateBytes(equal.id, 'same')], branch);
    await space.edit([updateBytes(clashing.id, 'ours, longer'), updateBytes(equal.id, 'same')]);
    const { body } = await space.merge(branch);

    expect(body.result).toBe('conflicts');
    expect(body.conflicts?.map(({ kind, id, field }) => [kind, id, field])).toEqual([['file', clashing.id, 'bytes']]);
    expect(await getText(await readFile(clashing.id))).toBe('ours, longer');
  });
});

test('rejects invalid bytes with the path of the field, and leaves the file unchanged', async () => {
  const file = await createFile('a.txt', 'first');
  const url = await serveLocally((_, response) => response.writeHead(404).end());
  const cases: [more: object, path: string][] = [
    [{ base64: '***' }, '.base64'],
    [{ base64: 'QQ==', contentType: undefined }, '.contentType'],
    [{ url }, ''],
    [{ base64: createTextFile('', 'x'.repeat(1024 * 1024 + 1)).base64 }, '.base64'],
    [{ name: '../a' }, '.name'],
    [{ base64: undefined, contentType: undefined, url }, '.url'],
  ];
  for (const [more, path] of cases) {
    const { status, body } = await space.edit([updateBytes(file.id, 'second', more)]);
    expect([more, status, body.error?.issues?.map((issue) => issue.path)]).toEqual([
      more,
      400,
      [`body.changes.0${path}`],
    ]);
  }
  expect((await space.edit([updateBytes('file_none', 'second')])).status).toBe(404);

  expect(await getText(await readFile(file.id))).toBe('first');
});
