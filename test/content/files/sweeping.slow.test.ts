import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { advanceOneDay, ageFiles, setDeletedDaysAgo } from '../retention/trash.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { patch, put, startUpload } from '../uploads/upload-client.ts';
import { createFiles, createTextFile, insertFiles } from './file-client.ts';

// Tests uploads that race with the deletion of unreferenced blobs.

let server: OwnPlatform;
let owner: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  server = await startOwnPlatform();
  owner = await server.makeSpace();
  space = getClient(server, owner);
}, 180_000);
afterAll(() => server.remove());

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');
const getBlobs = (text: string) =>
  queryDatabase(server.dataDir, 'SELECT settled, doomed_at FROM blobs WHERE substr(key, -64) = ?', hashText(text));
const listFileNames = async () =>
  (await space.callJson<{ items: TestFile[] }>('/content/files')).items.map(({ name }) => name);

test('rejects an insertion of bytes while these bytes are being deleted', async () => {
  await createFiles(space, [createTextFile('before', 'doomed')]);
  await writeDatabase(server, 'UPDATE blobs SET doomed_at = 1 WHERE substr(key, -64) = ?', hashText('doomed'));
  const response = await insertFiles(space, [createTextFile('fine', 'fine'), createTextFile('during', 'doomed')]);
  expect([response.status, response.body.error.type]).toEqual([503, 'unavailable']);
  expect(await listFileNames()).toEqual(['before']);

  await writeDatabase(server, 'DELETE FROM blobs WHERE substr(key, -64) = ?', hashText('doomed'));
  expect((await insertFiles(space, [createTextFile('after', 'doomed')])).status).toBe(200);
  expect(getBlobs('doomed')).toEqual([{ settled: 1, doomed_at: null }]);
});

test('rejects an insertion whose bytes were marked for deletion between upload and commit', async () => {
  const before = await listFileNames();
  await writeDatabase(
    server,
    `CREATE TRIGGER doom AFTER INSERT ON blobs BEGIN UPDATE blobs SET doomed_at = 1 WHERE key = new.key; END`,
  );
  const response = await insertFiles(space, [createTextFile('late', 'doomed late')]);
  await writeDatabase(server, 'DROP TRIGGER doom');

  expect([response.status, response.body.error.type]).toEqual([503, 'unavailable']);
  expect(await listFileNames()).toEqual(before);
  expect(getBlobs('doomed late')).toEqual([{ settled: 0, doomed_at: 1 }]);
});

test('marks new bytes of a file as settled with the commit, and rejects bytes marked for deletion', async () => {
  const [file] = await createFiles(space, [createTextFile('bytes', 'old bytes')]);
  const write = (text: string) =>
    space.edit([{ ...createTextFile('bytes', text), operation: 'update_file', file: file?.id }]);
  expect((await write('new bytes')).status).toBe(200);
  expect(getBlobs('new bytes')).toEqual([{ settled: 1, doomed_at: null }]);

  await writeDatabase(
    server,
    `CREATE TRIGGER doom AFTER INSERT ON blobs BEGIN UPDATE blobs SET doomed_at = 1 WHERE key = new.key; END`,
  );
  const response = await write('doomed bytes');
  await writeDatabase(server, 'DROP TRIGGER doom');
  expect([response.status, response.body.error?.type]).toEqual([503, 'unavailable']);
  expect(await space.callJson(`/content/files/${file?.id}`)).toMatchObject({ size: 'new bytes'.length });

  expect((await space.edit([{ operation: 'delete_file', file: file?.id }])).status).toBe(200);
});

test('uploading existing bytes postpones their cleanup', async () => {
  await createFiles(space, [createTextFile('a', 'claimed')]);
  const readClaimTime = () =>
    queryDatabase<{ claimed_at: number }>(
      server.dataDir,
      'SELECT claimed_at FROM blobs WHERE substr(key, -64) = ?',
      hashText('claimed'),
    );
  await writeDatabase(server, 'UPDATE blobs SET claimed_at = 1 WHERE substr(key, -64) = ?', hashText('claimed'));
  await createFiles(space, [createTextFile('b', 'claimed')]);

  expect(readClaimTime()[0]?.claimed_at).toBeGreaterThan(1);
});

test('25 concurrent uploads of the same bytes are one blob and 25 files', async () => {
  const all = await Promise.all(
    Array.from({ length: 25 }, (_, index) => insertFiles(space, [createTextFile(`same ${index}`, 'the same')])),
  );

  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(getBlobs('the same')).toEqual([{ settled: 1, doomed_at: null }]);
  expect((await listFileNames()).filter((name) => name.startsWith('same '))).toHaveLength(25);
});

test('finds references to a blob by an index', () => {
  const plan = queryDatabase<{ detail: string }>(
    server.dataDir,
    `EXPLAIN QUERY PLAN SELECT 1 FROM blobs b WHERE NOT EXISTS (
      SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = +b.key)
      AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.blob = +b.key AND u.expires_at > 5)`,
  );

  const queryPlan = plan.map(({ detail }) => detail);
  expect(queryPlan).toContainEqual(expect.stringContaining('INDEX versions_blobs (<expr>=?)'));
  expect(queryPlan).toContainEqual(expect.stringContaining('INDEX uploads_of_blob (blob=? AND expires_at>?)'));
});

test('deletes bytes that no file, change request, copy or upload uses', async () => {
  const organization = await server.makeOrganization();
  const makeSpace = async () => getClient(server, await server.makeSpace({ organization }));
  const [first, other] = [await makeSpace(), await makeSpace()];
  const names = ['live', 'older', 'requested', 'copied', 'uploaded'];
  await createFiles(
    first,
    ['none', ...names].map((name) => createTextFile(name, `used ${name}`)),
  );
  await createFiles(other, [createTextFile('live', 'used live')]);
  const [replaced] = await createFiles(other, [createTextFile('older', 'used older')]);
  await other.change([{ ...createTextFile('older', 'newer'), operation: 'update_file', file: replaced?.id }]);
  await createFiles(other, [createTextFile('requested', 'used requested')], await other.open());
  const copied = await makeSpace();
  await createFiles(copied, [createTextFile('copied', 'used copied')]);
  await copied.callJson('/duplicate', { method: 'POST' });
  const upload = await startUpload({ organization: organization.id, token: organization.token }, 13, 'a', server);
  expect((await put(upload.url, new TextEncoder().encode('used uploaded'))).status).toBe(204);

  await ageFiles(server, 2);
  for (const { space: id } of [first, copied]) {
    expect((await server.request(`/v1/spaces/${id}`, { token: organization.token, method: 'DELETE' })).status).toBe(
      205,
    );
    await setDeletedDaysAgo(server, id, 8);
  }
  await advanceOneDay(server);

  const left = ['none', ...names].filter((name) => getBlobs(`used ${name}`).length > 0);
  expect(left).toEqual(names);
  const [used] = await createFiles(other, [{ name: 'uploaded', upload: upload.key }]);
  expect(await (await fetch(used?.downloadURL ?? '')).text()).toBe('used uploaded');
});

/** Returns the keys of uploaded objects and of unfinished multipart uploads. */
function listBucket(): string[] {
  const folder = path.join(server.dataDir, 'state/r2/miniflare-R2BucketObject');
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return names.flatMap((name) => {
    const bucket = new DatabaseSync(path.join(folder, name), { timeout: 5000, readOnly: true });
    const objects = bucket.prepare("SELECT key FROM _mf_objects WHERE key LIKE 'uploads/%' ORDER BY key").all();
    const going = bucket.prepare('SELECT key FROM _mf_multipart_uploads WHERE state = 0').all();
    bucket.close();
    return [...objects.map(({ key }) => `${key}`), ...going.map(({ key }) => `${key} in parts`)];
  });
}

test('deletes expired uploads and their unused bytes after a day', async () => {
  const size = 5 * 1024 * 1024 + 10;
  const [begun, unused, used] = [0, 1, 2].map(() => startUpload(owner, size, 'a.bin', server));
  const keys = await Promise.all([begun, unused, used].map(async (upload) => (await upload)?.key ?? ''));
  const send = async (upload: typeof begun, length: number) =>
    (await patch((await upload)?.url ?? '', 0, new Uint8Array(randomBytes(length)))).status;
  expect([await send(begun, size - 5), await send(unused, size), await send(used, size)]).toEqual([204, 204, 204]);
  const [file] = await createFiles(space, [{ name: 'used', upload: keys[2] ?? '' }]);
  expect(listBucket().toSorted()).toEqual(
    [`uploads/${keys[0]} in parts`, `uploads/${keys[0]}/tail`, `uploads/${keys[1]}`, `uploads/${keys[2]}`].toSorted(),
  );

  await writeDatabase(server, 'UPDATE uploads SET expires_at = 1');
  await ageFiles(server, 25);
  await advanceOneDay(server);
  expect(listBucket()).toEqual([`uploads/${keys[2]}`]);
  expect(queryDatabase(server.dataDir, 'SELECT id FROM uploads')).toEqual([]);
  expect((await (await fetch(file?.downloadURL ?? '')).arrayBuffer()).byteLength).toBe(size);

  await space.edit([{ operation: 'delete_file', file: file?.id }]);
  expect(listBucket()).toEqual([`uploads/${keys[2]}`]);
});

test('uploads share a memory limit, and the response to an upload beyond it asks the client to retry', async () => {
  const size = 6 * 1024 * 1024;
  const begin = async () => {
    const { url } = await startUpload(owner, size, 'a.bin', server);
    const request = http.request(url, { method: 'PUT', headers: { 'content-length': size } });
    const ended = new Promise<void>((resolve) => void request.on('error', () => resolve()).on('close', resolve));
    request.write(new Uint8Array(10));
    return { request, ended, writes: () => getWriter(url) !== null || undefined };
  };
  const getWriter = (url: string) =>
    queryDatabase(
      server.dataDir,
      'SELECT writer FROM uploads WHERE id = ?',
      new URL(url).pathname.split('/').at(-1) ?? '',
    )[0]?.writer;
  const begun = await Promise.all(Array.from({ length: 6 }, begin));
  for (const { writes } of begun) await until(writes);

  const late = await startUpload(owner, size, 'a.bin', server);
  const response = await patch(late.url, 0, new Uint8Array(1));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  const small = await startUpload(owner, 10, 'a.bin', server);
  expect((await put(small.url, new Uint8Array(10))).status).toBe(204);

  for (const { request } of begun) request.destroy();
  for (const { ended } of begun) await ended;
  await until(async () => (await patch(late.url, 0, new Uint8Array(1))).status === 204 || undefined);
});
