import { supportsIdempotencyKey } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createTextFile } from '../content/files/file-client.ts';
import { getClient, getCost, insertPage } from '../content/space-client.ts';
import { json } from '../support/content.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { serveLocally } from '../support/local-server.ts';
import type { RequestOptions, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { createRandomWorld } from '../support/world.ts';

const createKey = () => crypto.randomUUID();
const addKey = (key: string, options: RequestOptions): RequestOptions => ({
  ...options,
  headers: { 'idempotency-key': key },
});

async function readResult(response: Response) {
  const body = (await response.json()) as { error: { message: string } };
  return { status: response.status, message: body.error.message };
}

const server = platform({ countsRows: true });

const minute = 60_000;

/**
 * Creates an object with an idempotency key, and resets the key to its state after a crash of the platform during the
 * request.
 */
async function createInterruptedRequest(state: string, age: number) {
  const { id, token, user } = await server.makeOrganization();
  const send = addKey(createKey(), { token, body: { title: 'A space' } });
  const repeatRequest = () => server.request(`/v1/orgs/${id}/spaces`, send);
  expect((await repeatRequest()).status).toBe(201);
  const set = `state = ?, status = NULL, body = NULL, location = NULL, created_at = ?`;
  await writeDatabase(server, `UPDATE idempotency_keys SET ${set} WHERE actor = ?`, state, Date.now() - age, user);
  const count = async () => (await json<{ count: number }>(`/v1/orgs/${id}/spaces`, { token }, server)).count;
  return { again: repeatRequest, count };
}

test('only one request takes over the key of a request that died without writing', async () => {
  const { again, count } = await createInterruptedRequest('claimed', 2 * minute);

  const responses = await Promise.all([again(), again(), again()]);

  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
  expect(await count()).toBe(2);
});

test('a request that died after its writes is not executed again', async () => {
  const { again, count } = await createInterruptedRequest('committed', 2 * minute);

  expect(await readResult(await again())).toEqual({
    status: 409,
    message: 'The request with this Idempotency-Key succeeded, but its response was lost.',
  });
  expect(await count()).toBe(1);
});

test.concurrent.for(['claimed', 'committed'])(
  'waits for a request in the state %s that is still running, but not forever',
  { timeout: 30_000 },
  async (state, { expect }) => {
    const { again, count } = await createInterruptedRequest(state, 0);

    const response = await again();

    expect(response.headers.get('retry-after')).toBe('5');
    expect(await readResult(response)).toEqual({
      status: 409,
      message: 'The first request with this Idempotency-Key is still in progress. Try again later.',
    });
    expect(await count()).toBe(1);
  },
);

test('an idempotency key costs two round trips, and repeating the request costs no more', async () => {
  const { id, token } = await server.makeOrganization();
  const send = { token, body: { title: 'A space' } };
  const create = (options: RequestOptions) => server.request(`/v1/orgs/${id}/spaces`, options);

  const plain = getCost(await create(send));
  const keyed = addKey(createKey(), send);
  const first = getCost(await create(keyed));
  const again = getCost(await create(keyed));

  expect(first.trips).toBe(plain.trips + 2);
  expect(again.trips).toBeLessThanOrEqual(3);
  expect(again.written).toBe(0);
});

const posts = operations.filter(({ endpoint }) => supportsIdempotencyKey(endpoint));

test('checks the key for exactly the operations that create or execute something', async () => {
  const { ids, organization } = await createRandomWorld(server);
  const headers = { 'idempotency-key': 'x'.repeat(256) };

  for (const { id, endpoint } of posts) {
    const { method } = endpoint;
    const response = await server.request(getAddress(endpoint, ids), { token: organization.token, method, headers });
    expect([id, response.status, (await readResult(response)).message]).toEqual([
      id,
      400,
      '`headers.idempotency-key` must have 1 to 255 printable ASCII characters.',
    ]);
  }
  expect(posts.length).toBeGreaterThan(20);
  const readResponse = await server.request(`/v1/orgs/${organization.id}`, { token: organization.token, headers });
  expect(readResponse.status).toBe(200);
  expect(queryDatabase(server.dataDir, 'SELECT 1 FROM idempotency_keys WHERE length(key) > 255')).toEqual([]);
});

test('a repeated response contains no expired file URL', async () => {
  const space = await server.makeSpace();
  const insertion = { operation: 'insert_files', files: [createTextFile('a.txt', 'words')] };
  const send = async (text: string, changes: object[], age: number) => {
    const options = addKey(createKey(), { token: space.token, body: { changes } });
    const path = `/v1/spaces/${space.id}/content?compat=false`;
    expect((await server.request(path, options)).status).toBe(200);
    await writeDatabase(server, `UPDATE idempotency_keys SET created_at = ? WHERE body LIKE ?`, Date.now() - age, text);
    return server.request(path, options);
  };

  const fresh = await send('%downloadURL%', [insertion], 59 * minute);
  expect([fresh.status, fresh.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(await readResult(await send('%downloadURL%', [insertion], 61 * minute))).toEqual({
    status: 409,
    message: 'The request with this Idempotency-Key succeeded. The file URLs in its response have expired.',
  });
  const text = await send('%created_page%', [insertPage('"downloadURL":"a"')], 61 * minute);
  expect([text.status, text.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
});

const listTitles = async ({ id, token }: TestSpace) =>
  (await getClient(server, { id, token }).pages()).map(({ title }) => title);

test('does not write again if the response of the first write was lost', async () => {
  const space = await server.makeSpace();
  const options = addKey(createKey(), { token: space.token, body: { changes: [insertPage('Once')] } });
  const send = () => server.request(`/v1/spaces/${space.id}/content`, options);
  await writeDatabase(
    server,
    `CREATE TRIGGER lose BEFORE UPDATE ON idempotency_keys WHEN new.state = 'done' BEGIN SELECT RAISE(ABORT, 'lost'); END`,
  );
  const first = await send();
  await writeDatabase(server, 'DROP TRIGGER lose');
  expect(first.status).toBe(200);
  await writeDatabase(server, `UPDATE idempotency_keys SET created_at = 1 WHERE state <> 'done'`);

  expect(await readResult(await send())).toMatchObject({
    status: 409,
    message: expect.stringContaining('its response was lost'),
  });
  expect(await listTitles(space)).toEqual(['Once']);
});

test('a slow request whose key was taken over writes nothing', async () => {
  const space = await server.makeSpace();
  const url = await serveLocally(async (_, response) => {
    await writeDatabase(server, `UPDATE idempotency_keys SET request = 'req_other' WHERE state = 'claimed'`);
    response.end('words');
  });
  const changes = [insertPage('Late'), { operation: 'insert_files', files: [{ name: 'a.txt', url }] }];
  const laterResponse = await server.request(
    `/v1/spaces/${space.id}/content`,
    addKey(createKey(), { token: space.token, body: { changes } }),
  );

  expect(laterResponse.status).toBe(503);
  expect(await listTitles(space)).toEqual([]);
});

test.each(['releases its key', 'answers'])(
  'rejects a caller who lost the right while waiting for a request that %s',
  async (end) => {
    const { id, token } = await server.makeOrganization();
    const member = await server.makeUser({ organization: id, role: 'create' });
    const send = addKey(createKey(), { token: member.token, body: { title: 'Late' } });
    expect((await server.request(`/v1/orgs/${id}/spaces`, send)).status).toBe(201);
    const set = (state: string) =>
      writeDatabase(server, 'UPDATE idempotency_keys SET state = ? WHERE actor = ?', state, member.user);
    await set('claimed');
    const waiting = server.request(`/v1/orgs/${id}/spaces`, send);
    await json(`/v1/orgs/${id}/members/${member.user}`, { token, method: 'PATCH', body: { role: 'read' } }, server);
    if (end === 'answers') await set('done');
    else await writeDatabase(server, 'DELETE FROM idempotency_keys WHERE actor = ?', member.user);

    expect((await waiting).status).toBe(403);
    expect(await json<{ count: number }>(`/v1/orgs/${id}/spaces`, { token }, server)).toMatchObject({ count: 1 });
  },
);
