import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { GivenFile } from './file-client.ts';
import { insertFiles, insertion, newFiles, pixel, textFile } from './file-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const listed = async (branch = '') => (await space.ok<{ items: TestFile[] }>(`${branch}/content/files`)).items;
const getFaults = async (files: unknown[]) => {
  const { status, body } = await insertFiles(space, files as GivenFile[]);
  expect([status, body.error.type]).toEqual([400, 'invalid']);
  expect(await listed()).toEqual([]);
  return body.error.issues ?? [];
};

test('inserted files are listed, read and downloaded', async () => {
  const { body } = await insertFiles(space, [pixel('pixel.png'), textFile('a.csv', 'a,b\n', { ref: 'table' })]);
  const [image, table] = body.insertedFiles ?? [];

  expect(image).toEqual({
    object: 'file',
    id: expect.stringMatching(/^file_/),
    name: 'pixel.png',
    contentType: 'image/png',
    size: 68,
    dimensions: { width: 1, height: 1 },
    downloadURL: expect.stringContaining('/pixel.png?'),
  });
  expect(table).toMatchObject({ name: 'a.csv', contentType: 'text/csv', size: 4 });
  expect(body.changes).toEqual([
    { object: 'created_file', file: image?.id },
    { object: 'created_file', file: table?.id, ref: 'table' },
  ]);
  expect((await listed()).map(({ id }) => id)).toEqual([table?.id, image?.id]);
  expect(await space.ok<TestFile>(`/content/files/${table?.id}`)).toMatchObject({ id: table?.id, name: 'a.csv' });
  expect(await (await fetch(table?.downloadURL ?? '')).text()).toBe('a,b\n');
});

test('fetches the file at a URL and detects its type from its bytes', async () => {
  const url = await serveLocally((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(Buffer.from(pixel('').base64 ?? '', 'base64'));
  });
  const [file] = await newFiles(space, [{ name: 'p.png', url: `${url}/p` }]);

  expect(file).toMatchObject({ contentType: 'image/png', size: 68, dimensions: { width: 1, height: 1 } });
});

test('stores the source of a file with its Git object ID, if requested', async () => {
  const [file] = await newFiles(space, [textFile('a.txt', 'words\n', { git: { path: 'docs/a.txt' } })]);
  const oid = createHash('sha1').update('blob 6\0words\n').digest('hex');

  expect(file?.git).toEqual({ oid, path: 'docs/a.txt' });
  expect((await listed())[0]?.git).toEqual({ oid, path: 'docs/a.txt' });
  for (const path of [`/content/files/${file?.id}?metadata=false`, '/content/files?metadata=false'])
    expect(JSON.stringify(await space.ok(path))).not.toContain('git');
});

test('inserting files in a change request returns them, except to older clients', async () => {
  const branch = await space.open();
  const path = `/change-requests/${branch}/content`;
  const post = { method: 'POST', body: { changes: [insertion([pixel('a.png')])] } };

  expect(await space.ok(`${path}?compat=false`, post)).toMatchObject({ insertedFiles: [{ name: 'a.png' }] });
  expect(await space.ok(path, post)).not.toHaveProperty('insertedFiles');
  expect(await listed(`/change-requests/${branch}`)).toHaveLength(2);
  expect(await listed()).toEqual([]);
  expect((await insertFiles(space, [pixel('b.png')])).body.insertedFiles).toHaveLength(1);
  expect((await space.edit([insertPage('A page')])).body).not.toHaveProperty('insertedFiles');
});

test('renames and deletes a file by its ID, or by its reference within the batch', async () => {
  const { body } = await space.edit([
    insertion([textFile('a.txt', 'x', { ref: 'a' }), textFile('b.txt', 'x', { ref: 'b' })]),
    { operation: 'update_file', file: 'a', name: 'c.txt' },
    { operation: 'delete_file', file: 'b' },
  ]);
  const [file] = body.insertedFiles ?? [];
  expect([body.insertedFiles?.length, file?.name]).toEqual([1, 'c.txt']);

  const renamed = await space.edit([{ operation: 'update_file', file: file?.id, name: 'd.txt' }]);
  expect(renamed.body.changes).toEqual([{ object: 'updated_file', file: file?.id }]);
  expect((await listed()).map(({ name }) => name)).toEqual(['d.txt']);

  const deleted = await space.edit([{ operation: 'delete_file', file: file?.id }]);
  expect(deleted.body.changes).toEqual([{ object: 'deleted_file', file: file?.id }]);
  expect(await listed()).toEqual([]);
  expect((await space.call(`/content/files/${file?.id}`)).status).toBe(404);
  for (const operation of ['update_file', 'delete_file'])
    expect((await space.edit([{ operation, file: file?.id }])).status).toBe(404);
});

describe('rejected without inserting anything:', () => {
  const url = 'http://files.example.test/a';

  const names = ['', ' ', '.', '..', 'a/b', 'a\\b', 'a\0', 'a\nb', 'a\u202egnp', 'a'.repeat(257)];
  const cases: [about: string, file: object, field: string][] = [
    ['neither bytes nor an address', { name: 'a' }, ''],
    ['both of them', { ...pixel('a'), url }, ''],
    ['bytes without a type', { name: 'a', base64: 'QQ==' }, '.contentType'],
    ['what is not base64', { ...pixel('a'), base64: '***' }, '.base64'],
    ['a byte more than 1 MiB', textFile('a', 'x'.repeat(1024 * 1024 + 1)), '.base64'],
    ['another scheme', { name: 'a', url: 'ftp://files.example.test/a' }, '.url'],
    ['a long address', { name: 'a', url: `${url}${'a'.repeat(2048)}` }, '.url'],
    ['no name', { ...pixel('a'), name: undefined }, '.name'],
    ...names.map((name): [string, object, string] => [`the name ${JSON.stringify(name)}`, pixel(name), '.name']),
  ];

  test.each(cases)('an insertion with %s', async (_, file, field) => {
    const paths = (await getFaults([pixel('fine.png'), file])).map(({ path }) => path);
    expect(paths).toContain(`body.changes.0.files.1${field}`);
  });

  test('an insertion without files, or with more than twenty', async () => {
    await getFaults([]);
    await getFaults(Array.from({ length: 21 }, () => pixel('a')));
  });

  test('a batch with more than a hundred files', async () => {
    const twenty = insertion(Array.from({ length: 20 }, () => pixel('a')));
    const { status, body } = await space.edit([twenty, twenty, twenty, twenty, twenty, insertion([pixel('a')])]);

    expect([status, body.error.type]).toEqual([413, 'too_large']);
    expect(await listed()).toEqual([]);
  });

  test('a name of a file that the batch already uses', async () => {
    const issues = await getFaults([pixel('a', { ref: 'x' }), pixel('b', { ref: 'x' })]);
    expect(issues).toEqual([{ path: 'body.changes.0.files.1.ref', message: 'must be unique in the batch' }]);
    const page = insertPage('A page', { ref: 'x' });
    for (const changes of [
      [page, insertion([pixel('a', { ref: 'x' })])],
      [insertion([pixel('a', { ref: 'x' })]), page],
    ])
      expect((await space.edit(changes)).status).toBe(400);
    expect(await listed()).toEqual([]);
  });

  test('URLs that cannot be fetched, each with its path', async () => {
    const base = await serveLocally(({ url: path }, response) => {
      if (path === '/large') for (let sent = 0; sent < 11; sent += 1) response.write(Buffer.alloc(1024 * 1024));
      else response.statusCode = 404;
      response.end();
    });
    const issues = await getFaults([pixel('a'), { name: 'b', url: `${base}/b` }, { name: 'c', url: `${base}/large` }]);

    expect(issues).toEqual([
      { path: 'body.changes.0.files.1.url', message: 'returned 404' },
      { path: 'body.changes.0.files.2.url', message: 'is larger than 10485760 bytes' },
    ]);
  });
});

test('fetched files of more than 32 MiB in total', async () => {
  const url = await serveLocally((_, response) => response.end(Buffer.alloc(9 * 1024 * 1024)));
  const files = Array.from({ length: 5 }, (_, index) => ({ name: `${index}`, url }));
  const { status } = await insertFiles(space, files);

  expect([400, 413]).toContain(status);
  expect(await listed()).toEqual([]);
});

test('keeps the uploaded bytes of an accepted batch, and leaves those of a rejected one to the cleanup', async () => {
  const bytes = `words of ${space.space}`;
  const hash = createHash('sha256').update(bytes).digest('hex');
  const blob = () => query('SELECT settled, doomed_at, bytes FROM blobs WHERE key LIKE ?', `%/${hash}`);

  await space.edit([insertion([textFile('a', bytes)]), { operation: 'delete_page', page: 'pg_none' }]);
  expect(blob()).toEqual([{ settled: 0, doomed_at: null, bytes: bytes.length }]);

  await newFiles(space, [textFile('a', bytes), textFile('b', bytes)]);
  expect(blob()).toEqual([{ settled: 1, doomed_at: null, bytes: bytes.length }]);
});
