import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressResponse } from './cached-responses.ts';

const html = `<p>${'Words. '.repeat(20_000)}<img src="/file?expires=1234567890">`;
const headers = { 'content-type': 'text/html', 'content-security-policy': "img-src 'self'" };

test.each([
  ['a text', (text: string, init: ResponseInit) => ({ response: new Response(text, init), text })],
  ['a stream', (text: string, init: ResponseInit) => ({ response: new Response(new Blob([text]).stream(), init) })],
])('the response with %s is compressed, and the expiry of its URLs is found', async (_, createResponse) => {
  const create = () => createResponse(html, { headers: { ...headers, 'set-cookie': 'a=b' } });
  const compressed = await compressResponse(create(), [1_234_567_889, 1_234_567_890]);

  expect(gunzipSync(compressed.body).toString()).toBe(html);
  expect([compressed.expires, compressed.headers]).toEqual([1_234_567_890, Object.entries(headers)]);
  expect((await compressResponse(create(), [1_234_567_889])).expires).toBeUndefined();
});
