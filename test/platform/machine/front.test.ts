import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as open } from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../content/files/file-client.ts';
import { getClient } from '../../content/space-client.ts';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';

const FILE_BYTES = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Uploads files to a space with one request and returns their URLs. */
async function put(files: Uint8Array[]): Promise<string[]> {
  const server = platform();
  const space = getClient(server, await server.makeSpace());
  const requests = files.map((bytes, index) => ({
    name: `${index}.bin`,
    base64: Buffer.from(bytes).toString('base64'),
    contentType: 'application/octet-stream',
  }));
  return (await createFiles(space, requests)).map(({ downloadURL }) => downloadURL);
}

test('forwards a body of 11 MB to the Durable Object and back', async () => {
  const files = Array.from({ length: 8 }, () => randomBytes(FILE_BYTES));
  const responses = await Promise.all((await put(files)).map((address) => fetch(address)));
  const got = await Promise.all(responses.map(async (response) => new Uint8Array(await response.arrayBuffer())));

  expect(responses.map(({ headers }) => headers.get('content-length'))).toEqual(files.map(() => String(FILE_BYTES)));
  expect(got.map(sha256)).toEqual(files.map(sha256));
});

test('a client that disconnects while sending or receiving does not delay other requests', async () => {
  const { url, makeUser, request } = platform();
  const { token } = await makeUser();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 500_000 };
  const [address = ''] = await put([randomBytes(FILE_BYTES)]);

  for (let times = 0; times < 20; times += 1) {
    const sending = open(new URL('/v1/user/tokens', url), { method: 'POST', headers });
    sending.on('error', () => undefined).write(`{"title": "${'a'.repeat(100_000)}`, () => sending.destroy());
    const reading = open(address).end();
    const [response] = (await once(reading, 'response')) as [IncomingMessage];
    await once(
      response.on('error', () => undefined),
      'data',
    );
    reading.destroy();
  }

  expect((await request('/v1/user', { token })).status).toBe(200);
  expect((await fetch(address)).status).toBe(200);
});

test('an exception in a worker only fails its own request', async () => {
  const { makeSpace, request, dataDir } = platform();
  const [broken, whole] = [await makeSpace(), await makeSpace()];
  await writeDatabase({ dataDir }, "UPDATE revisions SET lineage = 'no JSON' WHERE space = ?", broken.id);

  const responses = await Promise.all(
    [broken, whole, broken, whole].map(({ id, token }) => request(`/v1/spaces/${id}/content`, { token })),
  );

  expect(responses.map(({ status }) => status)).toEqual([500, 200, 500, 200]);
});

test.each(['operator', 'integrations', 'gateway', 'no-such-worker', ''])(
  'ignores the worker header of a client (%s)',
  async (worker) => {
    const { makeUser, request } = platform();
    const { token, user } = await makeUser();
    const headers = { 'octavo-domain': worker };
    const own = await request('/v1/user', { token, headers });

    expect([own.status, await own.json()]).toEqual([200, expect.objectContaining({ id: user })]);
    expect((await request('/v1/user', { headers })).status).toBe(401);
    expect((await request('/check', { headers, body: {} })).status).toBe(404);
  },
);

async function requestFront(route: string, headers: Record<string, string>) {
  const socketPath = path.join(platform().dataDir, 'runtime.sock');
  const call = open({ socketPath, path: route, method: 'POST', headers }).end('{}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) as unknown };
}

test('the operator endpoint requires the key, whatever worker header the request has', async () => {
  const response = { status: 404, body: { error: { message: 'Not found.' } } };
  const tried = [
    {},
    { 'octavo-operator-key': '' },
    { 'octavo-operator-key': 'guessed' },
    { 'octavo-domain': 'content' },
  ];

  for (const route of ['/check', '/database', '/token', '/cron', '/v1/user'])
    for (const headers of tried) expect(await requestFront(route, headers)).toEqual(response);
});
