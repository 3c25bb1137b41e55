import { createHash } from 'node:crypto';
import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import {
  download,
  getBytes,
  getMessage,
  getOid,
  getProgress,
  insertUploadInto,
  partBytes,
  patch,
  put,
  startUpload,
  uploadBytes,
} from './upload-client.ts';

let owner: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  owner = await platform().makeSpace();
  space = getClient(platform(), owner);
});

const hashBytes = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const insertUpload = (upload: string, more?: object) => insertUploadInto(space, upload, more);

test('inserts an uploaded file like a file sent inline', async () => {
  const bytes = new Uint8Array(Buffer.from(createPixel('').base64 ?? '', 'base64'));
  const upload = await startUpload(owner, bytes.length, 'p.dat');
  expect(upload).toMatchObject({ object: 'storage-signed-url', key: expect.stringMatching(/^upl_/) });
  expect(await getProgress(upload.url)).toEqual([0, bytes.length]);

  expect((await put(upload.url, bytes)).status).toBe(204);
  expect(await getProgress(upload.url)).toEqual([bytes.length, bytes.length]);
  const file = await insertUpload(upload.key, { name: 'p.png' });
  const [brought] = await createFiles(space, [createPixel('p.png')]);

  const { contentType, size, dimensions } = brought as TestFile;
  expect(file).toMatchObject({ name: 'p.png', contentType, size, dimensions });
  expect(file.git?.oid).toBe(getOid(bytes));
  expect(new URL(file.downloadURL).pathname).toBe(new URL(brought?.downloadURL ?? '').pathname);
});

test('downloads a file uploaded in parts unchanged, whole and in ranges, and stores equal bytes once', async () => {
  const bytes = getBytes(2 * partBytes + 12_345);
  const first = await uploadBytes(owner, bytes, 'first.bin');
  const file = await insertUpload(first.key);
  expect(file).toMatchObject({ size: bytes.length, git: { oid: getOid(bytes) } });
  expect((await download(file)).equals(bytes)).toBe(true);
  const range = await fetch(file.downloadURL, { headers: { range: `bytes=${partBytes - 5}-${partBytes + 4}` } });
  expect(range.status).toBe(206);
  expect(Buffer.from(await range.arrayBuffer())).toEqual(Buffer.from(bytes.subarray(partBytes - 5, partBytes + 5)));

  const second = await uploadBytes(owner, bytes, 'second.bin');
  expect((await download(await insertUpload(second.key))).equals(bytes)).toBe(true);
  expect(query('SELECT object, settled FROM blobs WHERE key = ?', `${owner.organization}/${hashBytes(bytes)}`)).toEqual(
    [{ object: `uploads/${first.key}`, settled: 1 }],
  );
});

test('resumes an upload in chunks of any size', async () => {
  const bytes = getBytes(partBytes + 2_000_000);
  const { url, key } = await startUpload(owner, bytes.length);
  const ends = [3, 1_000_000, partBytes, partBytes, partBytes + 7, bytes.length];
  let start = 0;
  for (const end of ends) {
    const response = await patch(url, start, bytes.subarray(start, end));
    expect([response.status, response.headers.get('upload-offset')]).toEqual([204, `${end}`]);
    expect(await getProgress(url)).toEqual([end, bytes.length]);
    start = end;
  }

  const file = await insertUpload(key);
  expect(file.git?.oid).toBe(getOid(bytes));
  expect((await download(file)).equals(bytes)).toBe(true);
});

test('keeps bytes received before the connection broke', async () => {
  const bytes = getBytes(partBytes + 100_000);
  const { url, key } = await startUpload(owner, bytes.length);
  const request = http.request(url, { method: 'PUT', headers: { 'content-length': bytes.length } });
  request.on('error', () => undefined);
  request.write(bytes.subarray(0, partBytes + 10));
  await until(async () => (await getProgress(url))[0] === partBytes || undefined);
  request.destroy();

  const offset = await until(async () => {
    const [there] = await getProgress(url);
    const response = await patch(url, there, bytes.subarray(there));
    return response.status === 204 ? there : undefined;
  });
  expect(offset).toBeGreaterThanOrEqual(partBytes);
  expect((await insertUpload(key)).git?.oid).toBe(getOid(bytes));
});

test('a complete file replaces its partial upload', async () => {
  const bytes = getBytes(partBytes + 10);
  const { url, key } = await startUpload(owner, bytes.length);
  await patch(url, 0, getBytes(partBytes + 5));
  expect((await put(url, bytes)).status).toBe(204);

  expect((await insertUpload(key)).git?.oid).toBe(getOid(bytes));
});

test('an upload can be used several times, also for new bytes of a file', async () => {
  const [bytes, others] = [getBytes(100), getBytes(200)];
  const [first, second] = [await uploadBytes(owner, bytes), await uploadBytes(owner, others)];
  const file = await insertUpload(first.key);
  await insertUpload(first.key);

  expect((await space.edit([{ operation: 'update_file', file: file.id, upload: second.key }])).status).toBe(200);
  expect(await space.callJson(`/content/files/${file.id}`)).toMatchObject({ size: 200, git: { oid: getOid(others) } });
});

test('the name or the declared type determines the type of an uploaded file, as for other files', async () => {
  const { key } = await uploadBytes(owner, new TextEncoder().encode('a,b'), 'a.md');
  expect(await insertUpload(key, { name: 'a' })).toMatchObject({ contentType: 'text/markdown' });
  expect(await insertUpload(key, { name: 'a.csv', contentType: 'text/calendar' })).toMatchObject({
    contentType: 'text/csv',
  });
  const file = await insertUpload(key, { name: 'a', contentType: 'text/csv; charset=utf-8' });
  expect(file).toMatchObject({ contentType: 'text/csv' });
  expect(await insertUpload(key, { name: 'a', contentType: 'image/png' })).toMatchObject({
    contentType: 'text/markdown',
  });

  const update = { operation: 'update_file', file: file.id, upload: key, contentType: 'application/json' };
  expect((await space.edit([update])).status).toBe(200);
  expect(await space.callJson(`/content/files/${file.id}`)).toMatchObject({ contentType: 'application/json' });
});

test('an empty file is a file', async () => {
  expect(await insertUpload((await uploadBytes(owner, new Uint8Array())).key)).toMatchObject({ size: 0 });
});

describe('bytes that do not match the declaration', () => {
  const createChunkedBody = (size: number) =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(getBytes(size));
        controller.close();
      },
    });
  const send = (url: string, size: number) =>
    fetch(url, { method: 'PUT', body: createChunkedBody(size), duplex: 'half' } as RequestInit);

  test('are rejected if the size differs, and stored bytes are kept', async () => {
    const { url } = await startUpload(owner, 100);
    await patch(url, 0, getBytes(40));
    for (const size of [99, 101])
      expect(await getMessage(await put(url, getBytes(size)))).toBe(
        `400 \`body\` ends at byte ${size}, but 100 bytes were announced.`,
      );
    expect(await getMessage(await patch(url, 40, getBytes(61)))).toBe(
      '400 `body` ends at byte 101, but 100 bytes were announced.',
    );
    expect(await getProgress(url)).toEqual([40, 100]);
  });

  test('are rejected even if no size is declared', async () => {
    const { url } = await startUpload(owner, 100);
    expect(await getMessage(await send(url, 101))).toBe('400 `body` has more than the 100 announced bytes.');
    expect(await getMessage(await send(url, 60))).toBe('400 `body` has 60 of the 100 announced bytes.');
    expect(await getProgress(url)).toEqual([60, 100]);
  });

  test('are rejected at an offset other than the number of received bytes, and after completion', async () => {
    const { url } = await startUpload(owner, 100);
    await patch(url, 0, getBytes(40));
    expect(await getMessage(await patch(url, 30, getBytes(5)))).toBe(
      '409 The upload has 40 bytes so far. Continue from there.',
    );
    await patch(url, 40, getBytes(60));
    const full = '409 The upload is already complete with 100 bytes.';
    expect(await getMessage(await patch(url, 100, new Uint8Array()))).toBe(full);
    expect(await getMessage(await put(url, getBytes(100)))).toBe(full);
  });

  test('are rejected if the request violates the tus protocol', async () => {
    const { url } = await startUpload(owner, 100);
    const bytes = getBytes(1);
    expect((await patch(url, 0, bytes, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await patch(url, 0, bytes, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await patch(url, 0, bytes, { 'tus-resumable': '0.2.0' })).status).toBe(412);
    expect((await patch(url, 0, bytes, { 'upload-offset': 'x' })).status).toBe(400);
    expect(await getProgress(url)).toEqual([0, 100]);
  });
});
