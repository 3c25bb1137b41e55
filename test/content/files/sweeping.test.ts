import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform, until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { ageFiles, deletedFor, passDay } from '../retention/trash.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { newUpload, patch, put } from '../uploads/upload-client.ts';
import { insertFiles, newFiles, textFile } from './file-client.ts';

// Tests uploads that race with the deletion of unreferenced blobs.

let server: OwnPlatform;
let owner: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  server = await ownPlatform();
  owner = await server.makeSpace();
  space = getClient(server, owner);
}, 180_000);
afterAll(() => server.remove());

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const getBlobs = (text: string) =>
  readPast(server.dataDir, 'SELECT settled, doomed_at FROM blobs WHERE substr(key, -64) = ?', hashOf(text));
const names = async () => (await space.ok<{ items: TestFile[] }>('/content/files')).items.map(({ name }) => name);

test('rejects an insertion of bytes that are being deleted, until they are deleted', async () => {
  await newFiles(space, [textFile('before', 'doomed')]);
  await writePast(server, 'UPDATE blobs SET doomed_at = 1 WHERE substr(key, -64) = ?', hashOf('doomed'));
  const refused = await insertFiles(space, [textFile('fine', 'fine'), textFile('during', 'doomed')]);
  expect([refused.status, refused.body.error.type]).toEqual([503, 'unavailable']);
  expect(await names()).toEqual(['before']);

  await writePast(server, 'DELETE FROM blobs WHERE substr(key, -64) = ?', hashOf('doomed'));
  expect((await insertFiles(space, [textFile('after', 'doomed')])).status).toBe(200);
  expect(getBlobs('doomed')).toEqual([{ settled: 1, doomed_at: null }]);
});

test('rejects an insertion whose bytes were marked for deletion between upload and commit', async () => {
  const before = await names();
  await writePast(
    server,
    `CREATE TRIGGER doom AFTER INSERT ON blobs BEGIN UPDATE blobs SET doomed_at = 1 WHERE key = new.key; END`,
  );
  const refused = await insertFiles(space, [textFile('late', 'doomed late')]);
  await writePast(server, 'DROP TRIGGER doom');

  expect([refused.status, refused.body.error.type]).toEqual([503, 'unavailable']);
  expect(await names()).toEqual(before);
  expect(getBlobs('doomed late')).toEqual([{ settled: 0, doomed_at: 1 }]);
});

test('marks new bytes of a file as settled with the commit, and rejects bytes marked for deletion', async () => {
  const [file] = await newFiles(space, [textFile('bytes', 'old bytes')]);
  const write = (text: string) =>
    space.edit([{ ...textFile('bytes', text), operation: 'update_file', file: file?.id }]);
  expect((await write('new bytes')).status).toBe(200);
  expect(getBlobs('new bytes')).toEqual([{ settled: 1, doomed_at: null }]);

  await writePast(
    server,
    `CREATE TRIGGER doom AFTER INSERT ON blobs BEGIN UPDATE blobs SET doomed_at = 1 WHERE key = new.key; END`,
  );
  const refused = await write('doomed bytes');
  await writePast(server, 'DROP TRIGGER doom');
  expect([refused.status, refused.body.error?.type]).toEqual([503, 'unavailable']);
  expect(await space.ok(`/content/files/${file?.id}`)).toMatchObject({ size: 'new bytes'.length });

  expect((await space.edit([{ operation: 'delete_file', file: file?.id }])).status).toBe(200);
});

test('uploading existing bytes postpones their cleanup', async () => {
  await newFiles(space, [textFile('a', 'claimed')]);
  const claimedAt = () =>
    readPast<{ claimed_at: number }>(
      server.dataDir,
      'SELECT claimed_at FROM blobs WHERE substr(key, -64) = ?',
      hashOf('claimed'),
    );
  await writePast(server, 'UPDATE blobs SET claimed_at = 1 WHERE substr(key, -64) = ?', hashOf('claimed'));
  await newFiles(space, [textFile('b', 'claimed')]);

  expect(claimedAt()[0]?.claimed_at).toBeGreaterThan(1);
});

test('25 concurrent uploads of the same bytes are one blob and 25 files', async () => {
  const all = await Promise.all(
    Array.from({ length: 25 }, (_, index) => insertFiles(space, [textFile(`same ${index}`, 'the same')])),
  );

  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(getBlobs('the same')).toEqual([{ settled: 1, doomed_at: null }]);
  expect((await names()).filter((name) => name.startsWith('same '))).toHaveLength(25);
});

test('finds references to a blob by an index', () => {
  const plan = readPast<{ detail: string }>(
    server.dataDir,
    `EXPLAIN QUERY PLAN SELECT 1 FROM blobs b WHERE NOT EXISTS (
      SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = +b.key)
      AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.blob = +b.key AND u.expires_at > 5)`,
  );

  const found = plan.map(({ detail }) => detail);
  expect(found).toContainEqual(expect.stringContaining('INDEX versions_blobs (<expr>=?)'));
  expect(found).toContainEqual(expect.stringContaining('INDEX uploads_of_blob (blob=? AND expires_at>?)'));
});

test('deletes bytes that no file, change request, copy or upload uses', async () => {
  const organization = await server.makeOrganization();
  const makeSpace = async () => getClient(server, await server.makeSpace({ organization }));
  const [first, other] = [await makeSpace(), await makeSpace()];
  const names = ['live', 'older', 'requested', 'copied', 'uploaded'];
  await newFiles(
    first,
    ['none', ...names].map((name) => textFile(name, `used ${name}`)),
  );
  await newFiles(other, [textFile('live', 'used live')]);
  const [replaced] = await newFiles(other, [textFile('older', 'used older')]);
  await other.change([{ ...textFile('older', 'newer'), operation: 'update_file', file: replaced?.id }]);
  await newFiles(other, [textFile('requested', 'used requested')], await other.open());
  const copied = await makeSpace();
  await newFiles(copied, [textFile('copied', 'used copied')]);
  await copied.ok('/duplicate', { method: 'POST' });
  const upload = await newUpload({ organization: organization.id, token: organization.token }, 13, 'a', server);
  expect((await put(upload.url, new TextEncoder().encode('used uploaded'))).status).toBe(204);

  await ageFiles(server, 2);
  for (const { space: id } of [first, copied]) {
    expect((await server.request(`/v1/spaces/${id}`, { token: organization.token, method: 'DELETE' })).status).toBe(
      205,
    );
    await deletedFor(server, id, 8);
  }
  await passDay(server);

  const left = ['none', ...names].filter((name) => getBlobs(`used ${name}`).length > 0);
  expect(left).toEqual(names);
  const [used] = await newFiles(other, [{ name: 'uploaded', upload: upload.key }]);
  expect(await (await fetch(used?.downloadURL ?? '')).text()).toBe('used uploaded');
});

/** Returns the keys of uploaded objects and of unfinished multipart uploads. */
function inBucket(): string[] {
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
  const [begun, unused, used] = [0, 1, 2].map(() => newUpload(owner, size, 'a.bin', server));
  const keys = await Promise.all([begun, unused, used].map(async (upload) => (await upload)?.key ?? ''));
  const send = async (upload: typeof begun, length: number) =>
    (await patch((await upload)?.url ?? '', 0, new Uint8Array(randomBytes(length)))).status;
  expect([await send(begun, size - 5), await send(unused, size), await send(used, size)]).toEqual([204, 204, 204]);
  const [file] = await newFiles(space, [{ name: 'used', upload: keys[2] ?? '' }]);
  expect(inBucket().toSorted()).toEqual(
    [`uploads/${keys[0]} in parts`, `uploads/${keys[0]}/tail`, `uploads/${keys[1]}`, `uploads/${keys[2]}`].toSorted(),
  );

  await writePast(server, 'UPDATE uploads SET expires_at = 1');
  await ageFiles(server, 25);
  await passDay(server);
  expect(inBucket()).toEqual([`uploads/${keys[2]}`]);
  expect(readPast(server.dataDir, 'SELECT id FROM uploads')).toEqual([]);
  expect((await (await fetch(file?.downloadURL ?? '')).arrayBuffer()).byteLength).toBe(size);

  await space.edit([{ operation: 'delete_file', file: file?.id }]);
  expect(inBucket()).toEqual([`uploads/${keys[2]}`]);
});

test('uploads share a memory limit, and the response to an upload beyond it asks the client to retry', async () => {
  const size = 6 * 1024 * 1024;
  const begin = async () => {
    const { url } = await newUpload(owner, size, 'a.bin', server);
    const request = http.request(url, { method: 'PUT', headers: { 'content-length': size } });
    const ended = new Promise<void>((resolve) => void request.on('error', () => resolve()).on('close', resolve));
    request.write(new Uint8Array(10));
    return { request, ended, writes: () => getWriter(url) !== null || undefined };
  };
  const getWriter = (url: string) =>
    readPast(
      server.dataDir,
      'SELECT writer FROM uploads WHERE id = ?',
      new URL(url).pathname.split('/').at(-1) ?? '',
    )[0]?.writer;
  const begun = await Promise.all(Array.from({ length: 6 }, begin));
  for (const { writes } of begun) await until(writes);

  const late = await newUpload(owner, size, 'a.bin', server);
  const refused = await patch(late.url, 0, new Uint8Array(1));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const small = await newUpload(owner, 10, 'a.bin', server);
  expect((await put(small.url, new Uint8Array(10))).status).toBe(204);

  for (const { request } of begun) request.destroy();
  for (const { ended } of begun) await ended;
  await until(async () => (await patch(late.url, 0, new Uint8Array(1))).status === 204 || undefined);
});
