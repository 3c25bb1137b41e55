import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { GivenFile } from './file-client.ts';
import { createFiles, createInsertion, createPixel, createTextFile, insertFiles } from './file-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const listFiles = async (branch = '') => (await space.callJson<{ items: TestFile[] }>(`${branch}/content/files`)).items;
const getFaults = async (files: unknown[]) => {
  const { status, body } = await insertFiles(space, files as GivenFile[]);
  expect([status, body.error.type]).toEqual([400, 'invalid']);
  expect(await listFiles()).toEqual([]);
  return body.error.issues ?? [];
};

test('inserted files are listed, read and downloaded', async () => {
  const { body } = await insertFiles(space, [
    createPixel('pixel.png'),
    createTextFile('a.csv', 'a,b\n', { ref: 'table' }),
  ]);
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
  expect((await listFiles()).map(({ id }) => id)).toEqual([table?.id, image?.id]);
  expect(await space.callJson<TestFile>(`/content/files/${table?.id}`)).toMatchObject({ id: table?.id, name: 'a.csv' });
  expect(await (await fetch(table?.downloadURL ?? '')).text()).toBe('a,b\n');
});

test('detects the type of a file at a URL from its bytes', async () => {
  const url = await serveLocally((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(Buffer.from(createPixel('').base64 ?? '', 'base64'));
  });
  const [file] = await createFiles(space, [{ name: 'p.png', url: `${url}/p` }]);

  expect(file).toMatchObject({ contentType: 'image/png', size: 68, dimensions: { width: 1, height: 1 } });
});

test('stores the source of a file with its Git object ID, if requested', async () => {
  const [file] = await createFiles(space, [createTextFile('a.txt', 'words\n', { git: { path: 'docs/a.txt' } })]);
  const oid = createHash('sha1').update('blob 6\0words\n').digest('hex');

  expect(file?.git).toEqual({ oid, path: 'docs/a.txt' });
  expect((await listFiles())[0]?.git).toEqual({ oid, path: 'docs/a.txt' });
  for (const path of [`/content/files/${file?.id}?metadata=false`, '/content/files?metadata=false'])
    expect(JSON.stringify(await space.callJson(path))).not.toContain('git');
});

const toGitPath = (path: string) => ({ git: { path } });

test('only the first file of a batch at the source path of a deleted file gets the ID of that file', async () => {
  const [former] = await createFiles(space, [createTextFile('a.txt', 'old', toGitPath('a.txt'))]);
  await space.change([{ operation: 'update_file', file: former?.id, ...toGitPath('b.txt') }]);
  await space.change([{ operation: 'update_file', file: former?.id, ...toGitPath('a.txt') }]);
  await space.change([{ operation: 'delete_file', file: former?.id }]);
  const files = await createFiles(space, [
    createTextFile('a.txt', 'x', toGitPath('a.txt')),
    createTextFile('a.txt', 'y', toGitPath('a.txt')),
  ]);

  expect(files[0]?.id).toBe(former?.id);
  expect(files[1]?.id).not.toBe(former?.id);
  expect(await listFiles()).toHaveLength(2);
});

test('a change request that deletes a file of main and inserts one at its path keeps its ID', async () => {
  const [former] = await createFiles(space, [createTextFile('a.txt', 'old', toGitPath('a.txt'))]);
  const branch = await space.open();
  await space.change([{ operation: 'delete_file', file: former?.id }], branch);
  const [file] = await createFiles(space, [createTextFile('a.txt', 'new', toGitPath('a.txt'))], branch);
  expect(file?.id).toBe(former?.id);
});

test('a new file at a path from which another file was renamed gets another ID, also after a deletion', async () => {
  const [renamed] = await createFiles(space, [createTextFile('a.txt', 'old', toGitPath('a.txt'))]);
  await space.change([{ operation: 'update_file', file: renamed?.id, name: 'b.txt', ...toGitPath('b.txt') }]);
  await space.change([{ operation: 'delete_file', file: renamed?.id }]);
  const branch = await space.open();
  for (const on of [branch, undefined]) {
    const [file] = await createFiles(space, [createTextFile('a.txt', 'new', toGitPath('a.txt'))], on);
    expect(file?.id).not.toBe(renamed?.id);
  }
  const [back] = await createFiles(space, [createTextFile('b.txt', 'new', toGitPath('b.txt'))]);
  expect(back?.id).toBe(renamed?.id);
});

test('inserting files in a change request returns them, except to older clients', async () => {
  const branch = await space.open();
  const path = `/change-requests/${branch}/content`;
  const post = { method: 'POST', body: { changes: [createInsertion([createPixel('a.png')])] } };

  expect(await space.callJson(`${path}?compat=false`, post)).toMatchObject({ insertedFiles: [{ name: 'a.png' }] });
  expect(await space.callJson(path, post)).not.toHaveProperty('insertedFiles');
  expect(await listFiles(`/change-requests/${branch}`)).toHaveLength(2);
  expect(await listFiles()).toEqual([]);
  expect((await insertFiles(space, [createPixel('b.png')])).body.insertedFiles).toHaveLength(1);
  expect((await space.edit([insertPage('A page')])).body).not.toHaveProperty('insertedFiles');
});

test('renames and deletes a file by its ID, or by its reference within the batch', async () => {
  const { body } = await space.edit([
    createInsertion([createTextFile('a.txt', 'x', { ref: 'a' }), createTextFile('b.txt', 'x', { ref: 'b' })]),
    { operation: 'update_file', file: 'a', name: 'c.txt' },
    { operation: 'delete_file', file: 'b' },
  ]);
  const [file] = body.insertedFiles ?? [];
  expect([body.insertedFiles?.length, file?.name]).toEqual([1, 'c.txt']);

  const renamed = await space.edit([{ operation: 'update_file', file: file?.id, name: 'd.txt' }]);
  expect(renamed.body.changes).toEqual([{ object: 'updated_file', file: file?.id }]);
  expect((await listFiles()).map(({ name }) => name)).toEqual(['d.txt']);

  const deleted = await space.edit([{ operation: 'delete_file', file: file?.id }]);
  expect(deleted.body.changes).toEqual([{ object: 'deleted_file', file: file?.id }]);
  expect(await listFiles()).toEqual([]);
  expect((await space.call(`/content/files/${file?.id}`)).status).toBe(404);
  for (const operation of ['update_file', 'delete_file'])
    expect((await space.edit([{ operation, file: file?.id }])).status).toBe(404);
});

describe('rejected without inserting anything:', () => {
  const url = 'http://files.example.test/a';

  const names = ['', ' ', '.', '..', 'a/b', 'a\\b', 'a\0', 'a\nb', 'a\u202egnp', 'a'.repeat(257)];
  const cases: [about: string, file: object, field: string][] = [
    ['neither bytes nor an address', { name: 'a' }, ''],
    ['both of them', { ...createPixel('a'), url }, ''],
    ['bytes without a type', { name: 'a', base64: 'QQ==' }, '.contentType'],
    ['invalid base64', { ...createPixel('a'), base64: '***' }, '.base64'],
    ['one byte more than 1 MiB', createTextFile('a', 'x'.repeat(1024 * 1024 + 1)), '.base64'],
    ['another scheme', { name: 'a', url: 'ftp://files.example.test/a' }, '.url'],
    ['a long address', { name: 'a', url: `${url}${'a'.repeat(2048)}` }, '.url'],
    ['no name', { ...createPixel('a'), name: undefined }, '.name'],
    ...names.map((name): [string, object, string] => [`the name ${JSON.stringify(name)}`, createPixel(name), '.name']),
  ];

  test.each(cases)('an insertion with %s', async (_, file, field) => {
    const paths = (await getFaults([createPixel('fine.png'), file])).map(({ path }) => path);
    expect(paths).toContain(`body.changes.0.files.1${field}`);
  });

  test('an insertion without files, or with more than twenty', async () => {
    await getFaults([]);
    await getFaults(Array.from({ length: 21 }, () => createPixel('a')));
  });

  test('a batch with more than a hundred files', async () => {
    const twenty = createInsertion(Array.from({ length: 20 }, () => createPixel('a')));
    const { status, body } = await space.edit([
      twenty,
      twenty,
      twenty,
      twenty,
      twenty,
      createInsertion([createPixel('a')]),
    ]);

    expect([status, body.error.type]).toEqual([413, 'too_large']);
    expect(await listFiles()).toEqual([]);
  });

  test('a name that another file of the batch uses', async () => {
    const issues = await getFaults([createPixel('a', { ref: 'x' }), createPixel('b', { ref: 'x' })]);
    expect(issues).toEqual([{ path: 'body.changes.0.files.1.ref', message: 'must be unique in the batch' }]);
    const page = insertPage('A page', { ref: 'x' });
    for (const changes of [
      [page, createInsertion([createPixel('a', { ref: 'x' })])],
      [createInsertion([createPixel('a', { ref: 'x' })]), page],
    ])
      expect((await space.edit(changes)).status).toBe(400);
    expect(await listFiles()).toEqual([]);
  });

  test('URLs that cannot be fetched, each with its path', async () => {
    const base = await serveLocally(({ url: path }, response) => {
      if (path === '/large') for (let sent = 0; sent < 11; sent += 1) response.write(Buffer.alloc(1024 * 1024));
      else response.statusCode = 404;
      response.end();
    });
    const issues = await getFaults([
      createPixel('a'),
      { name: 'b', url: `${base}/b` },
      { name: 'c', url: `${base}/large` },
    ]);

    expect(issues).toEqual([
      { path: 'body.changes.0.files.1.url', message: 'returned 404' },
      { path: 'body.changes.0.files.2.url', message: 'is larger than 10485760 bytes' },
    ]);
  });
});

test('rejects fetched files of more than 32 MiB in total', async () => {
  const url = await serveLocally((_, response) => response.end(Buffer.alloc(9 * 1024 * 1024)));
  const files = Array.from({ length: 5 }, (_, index) => ({ name: `${index}`, url }));
  const { status } = await insertFiles(space, files);

  expect([400, 413]).toContain(status);
  expect(await listFiles()).toEqual([]);
});

test('keeps the uploaded bytes of an accepted batch, and leaves those of a rejected one to the cleanup', async () => {
  const bytes = `words of ${space.space}`;
  const hash = createHash('sha256').update(bytes).digest('hex');
  const readBlob = () => query('SELECT settled, doomed_at, bytes FROM blobs WHERE key LIKE ?', `%/${hash}`);

  await space.edit([createInsertion([createTextFile('a', bytes)]), { operation: 'delete_page', page: 'pg_none' }]);
  expect(readBlob()).toEqual([{ settled: 0, doomed_at: null, bytes: bytes.length }]);

  await createFiles(space, [createTextFile('a', bytes), createTextFile('b', bytes)]);
  expect(readBlob()).toEqual([{ settled: 1, doomed_at: null, bytes: bytes.length }]);
});
