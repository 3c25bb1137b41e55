import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import {
  download,
  getBytes,
  getMessage,
  getProgress,
  insertUploadInto,
  partBytes,
  patch,
  put,
  startUpload,
} from './upload-client.ts';

// Tests uploads with several concurrent requests, and uploads that were interrupted.

let owner: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  owner = await platform().makeSpace();
  space = getClient(platform(), owner);
});

const insertUpload = (upload: string) => insertUploadInto(space, upload);

describe('two concurrent requests for one upload', () => {
  /** Sends all bytes but the last. Returns a function that sends the last byte and returns the response status. */
  async function beginUpload(
    url: string,
    bytes: Uint8Array<ArrayBuffer>,
    stands: number,
  ): Promise<() => Promise<number>> {
    const request = http.request(url, { method: 'PUT', headers: { 'content-length': bytes.length } });
    const responseStatus = new Promise<number>((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
    });
    request.write(bytes.subarray(0, -1));
    const readWriter = () =>
      query<{ writer: string | null }>('SELECT writer FROM uploads WHERE id = ?', getUploadId(url))[0]?.writer;
    await until(async () => (readWriter() != null && (await getProgress(url))[0] === stands) || undefined);
    return () => {
      request.end(bytes.subarray(-1));
      return responseStatus;
    };
  }
  const getUploadId = (url: string) => new URL(url).pathname.split('/').at(-1) ?? '';

  test.each([100, partBytes + 10, 2 * partBytes])(
    'both succeed if they send the same bytes (%i bytes)',
    async (size) => {
      const bytes = getBytes(size);
      const { url, key } = await startUpload(owner, size);
      const finish = await beginUpload(url, bytes, size > partBytes ? partBytes : 0);
      expect((await put(url, bytes)).status).toBe(204);
      expect(await finish()).toBe(204);
      expect((await download(await insertUpload(key))).equals(bytes)).toBe(true);
    },
  );

  test.each([100, partBytes + 10])(
    'the later request replaces the different bytes of the earlier request (%i bytes)',
    async (size) => {
      const [former, later] = [getBytes(size), getBytes(size)];
      const { url, key } = await startUpload(owner, size);
      const finish = await beginUpload(url, former, size > partBytes ? partBytes : 0);
      expect((await put(url, later)).status).toBe(204);
      expect(await finish()).toBe(409);
      expect((await download(await insertUpload(key))).equals(later)).toBe(true);
    },
  );

  test('the later request continues after the stored bytes, whatever the earlier one still sends', async () => {
    const bytes = getBytes(2 * partBytes + 10);
    const { url, key } = await startUpload(owner, bytes.length);
    const finish = await beginUpload(url, bytes.fill(1, partBytes), 2 * partBytes);
    const others = getBytes(partBytes + 10);
    await writeDatabase(
      platform(),
      "UPDATE uploads SET received = ?, parts = json_array(parts->'$[0]') WHERE id = ?",
      partBytes,
      key,
    );
    expect((await patch(url, partBytes, others.subarray(0, partBytes))).status).toBe(204);
    expect(await finish()).toBe(409);
    expect((await patch(url, 2 * partBytes, others.subarray(partBytes))).status).toBe(204);
    const whole = Buffer.concat([bytes.subarray(0, partBytes), others]);
    expect((await download(await insertUpload(key))).equals(whole)).toBe(true);
  });
});

test('an upload interrupted before its parts were combined is completed by its last bytes again', async () => {
  const bytes = getBytes(partBytes + 10);
  const { url, key } = await startUpload(owner, bytes.length);
  await patch(url, 0, bytes.subarray(0, partBytes));
  const [before] = query<{ parts: string }>('SELECT parts FROM uploads WHERE id = ?', key);
  await patch(url, partBytes, bytes.subarray(partBytes));
  await writeDatabase(
    platform(),
    'UPDATE uploads SET blob = NULL, oid = NULL, received = ?, parts = ? WHERE id = ?',
    ...[partBytes, before?.parts ?? '', key],
  );
  await writeDatabase(platform(), 'DELETE FROM blobs WHERE object = ?', `uploads/${key}`);

  expect(await getMessage(await patch(url, partBytes, getBytes(10)))).toBe(
    '409 The upload has 0 bytes so far. Continue from there.',
  );
  await writeDatabase(
    platform(),
    'UPDATE uploads SET received = ?, parts = ? WHERE id = ?',
    ...[partBytes, before?.parts ?? '', key],
  );
  expect((await patch(url, partBytes, bytes.subarray(partBytes))).status).toBe(204);
  expect((await download(await insertUpload(key))).equals(bytes)).toBe(true);
});

describe('files in a single upload request', () => {
  const getFiles = (...sizes: number[]) =>
    sizes.map((size, index) => ({ name: `${index}.txt`, type: 'text/plain', size }));
  const createUpload = (body: object) =>
    platform().request(`/v1/orgs/${owner.organization}/storage/upload`, {
      token: owner.token,
      method: 'POST',
      body: { kind: 'import_file', ...body },
    });
  const begin = async (...sizes: number[]) =>
    (await (await createUpload({ files: getFiles(...sizes) })).json()) as { url: string; key: string; keys: string[] };

  test('are separate uploads', async () => {
    const bytes = getBytes(600);
    const { url, key, keys } = await begin(100, 0, 400, 100);
    expect([keys.length, key]).toEqual([4, keys[0]]);
    bytes.copyWithin(500, 0, 100);
    for (const _ of ['first', 'again']) expect((await put(url, bytes)).status).toBe(204);

    const downloads = await Promise.all(keys.map(async (each) => download(await insertUpload(each))));
    expect(Buffer.concat(downloads).equals(bytes)).toBe(true);
    expect(downloads.map(({ length }) => length)).toEqual([100, 0, 400, 100]);
  });

  test('are stored all or none, and the request accepts no other sizes', async () => {
    const { url, keys } = await begin(60, 40);
    for (const size of [99, 101])
      expect(await getMessage(await put(url, getBytes(size)))).toBe(
        `400 \`body\` has ${size} bytes, but 100 were announced.`,
      );
    const files = keys.map((upload) => ({ name: 'a', upload }));
    const { body } = await space.edit([{ operation: 'insert_files', files }]);
    expect(body.error.issues?.map(({ message }) => message)).toEqual([
      'is incomplete: 0 of 60 bytes were uploaded',
      'is incomplete: 0 of 40 bytes were uploaded',
    ]);

    expect((await put(url, getBytes(100))).status).toBe(204);
    expect((await put(url, getBytes(100))).status).toBe(409);
  });

  test('are limited to the number of files in one edit', async () => {
    for (const files of [getFiles(5 * 1024 * 1024, 1), getFiles(...Array.from({ length: 101 }, () => 1)), []])
      expect((await createUpload({ files })).status).toBe(400);
    expect(await getMessage(await createUpload({ files: getFiles(1), file: getFiles(1)[0] }))).toBe(
      '400 `body` must have either file or files.',
    );
  });
});
