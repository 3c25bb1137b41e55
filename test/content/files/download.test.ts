import { beforeEach, describe, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { createFiles, createPixel, createTextFile } from './file-client.ts';

let space: SpaceClient;
let url: string;
const text = '0123456789';

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  const [file] = await createFiles(space, [createTextFile('ten.txt', text)]);
  url = file?.downloadURL ?? '';
});

const get = (headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers });

test('returns the whole file, with headers that restrict what a browser can do with it', async () => {
  const response = await get();

  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '10',
    'content-disposition': `attachment; filename="ten.txt"; filename*=UTF-8''ten.txt`,
    'content-security-policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'accept-ranges': 'bytes',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=3[6-9]\d\d, immutable$/);
  expect(await response.text()).toBe(text);
});

test('HEAD returns the headers of GET without a body, whatever range is requested', async () => {
  const [response, head] = [await get(), await get({ range: 'bytes=0-1' }, 'HEAD')];
  const unlike = ['octavo-request-id', 'cache-control', 'connection', 'date', 'keep-alive'];
  const getHeaders = (response: Response) => [...response.headers].filter(([name]) => !unlike.includes(name));

  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(getHeaders(head)).toEqual(getHeaders(response));
});

test.each(['POST', 'PUT', 'DELETE'])('returns 405 for %s', async (method) => {
  expect((await get({}, method)).status).toBe(405);
});

test('returns 304 to a client that has the file', async () => {
  const etag = (await get()).headers.get('etag') ?? '';
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await get({ 'if-none-match': tag });
    expect([tag, response.status, await response.text(), response.headers.get('etag')]).toEqual([tag, 304, '', etag]);
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
});

describe('a range request', () => {
  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
  ])('for %s returns only that range', async (range, part, contentRange) => {
    const response = await get({ range });

    expect([response.status, response.headers.get('content-range')]).toEqual([206, contentRange]);
    expect(response.headers.get('content-length')).toBe(String(part.length));
    expect(await response.text()).toBe(part);
  });

  test('beyond the end returns 416', async () => {
    const response = await get({ range: 'bytes=10-' });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  test.each(['bytes=0-1,3-4', 'bytes=4-2', 'lines=1-2'])(
    'ignores the range %s and returns the whole file',
    async (range) => {
      const response = await get({ range });
      expect([response.status, await response.text()]).toEqual([200, text]);
    },
  );

  test('is honored only if the client has the current file', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    expect((await get({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    for (const tag of ['"other"', `W/${etag}`, 'Sat, 01 Jan 2028 00:00:00 GMT'])
      expect((await get({ range: 'bytes=0-1', 'if-range': tag })).status, tag).toBe(200);
  });
});

test('downloads an empty file', async () => {
  const [file] = await createFiles(space, [createTextFile('empty.txt', '')]);
  const response = await fetch(file?.downloadURL ?? '');

  expect([response.status, await response.text()]).toEqual([200, '']);
  expect((await fetch(file?.downloadURL ?? '', { headers: { range: 'bytes=0-' } })).status).toBe(416);
});

test('shows images inline, and downloads PDFs, SVGs and archives', async () => {
  const files = await createFiles(space, [
    createPixel('a.png'),
    createTextFile('a.pdf', '%PDF-1.7\n'),
    createTextFile('a.svg', '<svg width="3" height="2"/>'),
    createTextFile('a.zip', 'PK\x03\x04'),
  ]);
  const kinds = await Promise.all(
    files.map(async ({ downloadURL }) => {
      const { headers } = await fetch(downloadURL);
      return [headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]];
    }),
  );

  expect(kinds).toEqual([
    ['image/png', 'inline'],
    ['application/pdf', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/zip', 'attachment'],
  ]);
  expect(files[2]?.dimensions).toEqual({ width: 3, height: 2 });
});

test('preserves names in any script, in the URL and in the header', async () => {
  for (const name of ['日本 – naïve.txt', `it's "100%" #1?.txt`, 'a&b=c;d+e.txt', '😀.txt', 'a'.repeat(256)]) {
    const [file] = await createFiles(space, [createTextFile(name, 'x')]);
    const response = await fetch(file?.downloadURL ?? '');
    expect([name, response.status]).toEqual([name, 200]);
    const encoded = response.headers.get('content-disposition')?.split("filename*=UTF-8''")[1] ?? '';
    expect(decodeURIComponent(encoded)).toBe(name);
  }
});

test('downloads a large file completely, and its URL stays the same for some minutes', async () => {
  const bytes = Buffer.alloc(9 * 1024 * 1024, 'large ');
  const base = await serveLocally((_, response) => response.end(bytes));
  const [file] = await createFiles(space, [{ name: 'large.bin', url: base }]);
  const rangeResponse = await fetch(file?.downloadURL ?? '');
  expect(Buffer.from(await rangeResponse.arrayBuffer()).equals(bytes)).toBe(true);

  const again = await space.callJson<TestFile>(`/content/files/${file?.id}`);
  const [one, other] = [file?.downloadURL, again.downloadURL].map((each) => new URL(each ?? ''));
  expect([0, 300]).toContain(Number(other?.searchParams.get('expires')) - Number(one?.searchParams.get('expires')));
});
