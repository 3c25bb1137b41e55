import { supportsIdempotencyKey } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { json } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { operations } from '../support/endpoints.ts';
import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

const createKey = () => crypto.randomUUID();
const addKey = (key: string, options: RequestOptions): RequestOptions => ({
  ...options,
  headers: { 'idempotency-key': key },
});

const hasReplayed = (response: Response) => response.headers.get('idempotency-replayed') === 'true';

async function readResult(response: Response) {
  const body = (await response.json()) as { error: { message: string } };
  return { status: response.status, message: body.error.message };
}

test('concurrent creates with one key create one object and return one response', async () => {
  const { request, makeOrganization } = platform();
  const { id, token } = await makeOrganization();
  const send = addKey(createKey(), { token, body: { title: 'Once' } });

  const responses = await Promise.all(Array.from({ length: 25 }, () => request(`/v1/orgs/${id}/spaces`, send)));

  const bodies = new Set(await Promise.all(responses.map((response) => response.text())));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(bodies.size).toBe(1);
  expect(new Set(responses.map(({ headers }) => headers.get('location'))).size).toBe(1);
  expect(responses.filter((response) => !hasReplayed(response))).toHaveLength(1);
  expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(responses.map(() => 'application/json'));
  expect(await json(`/v1/orgs/${id}/spaces`, { token })).toMatchObject({ count: 1 });
});

test('concurrent edits and merges with one key are executed once', async () => {
  const server = platform();
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);
  const base = `/v1/spaces/${newSpace.id}`;
  const edit = addKey(createKey(), { token: newSpace.token, body: { changes: [insertPage('Once')] } });

  const edits = await Promise.all(Array.from({ length: 10 }, () => server.request(`${base}/content`, edit)));
  const branch = await space.open();
  await space.change([insertPage('More')], branch);
  const merge = addKey(createKey(), { token: newSpace.token, method: 'POST' });
  const path = `${base}/change-requests/${branch}/merge`;
  const merges = await Promise.all(Array.from({ length: 5 }, () => server.request(path, merge)));

  expect(new Set(await Promise.all(edits.map((response) => response.text()))).size).toBe(1);
  expect(new Set(await Promise.all(merges.map((response) => response.text()))).size).toBe(1);
  expect([...edits, ...merges].map(({ status }) => status)).toEqual([...edits, ...merges].map(() => 200));
  expect((await space.pages()).map(({ title }) => title)).toEqual(['Once', 'More']);
});

test('returns 409 if the key was used with another body, query or path', async () => {
  const { request, makeSpace } = platform();
  const { id, token } = await makeSpace();
  const key = createKey();
  const post = (path: string, body: object) => request(`/v1/spaces/${id}${path}`, addKey(key, { token, body }));

  expect((await post('/change-requests', { subject: 'One' })).status).toBe(201);
  const others = [
    await post('/change-requests', { subject: 'Other' }),
    await post('/content?compat=false', { changes: [insertPage('One')] }),
    await post('/content', { changes: [insertPage('One')] }),
  ];

  for (const response of others) {
    expect(await readResult(response)).toEqual({
      status: 409,
      message: 'This Idempotency-Key was used for a different request. Use a new key.',
    });
  }
  expect(hasReplayed(await post('/change-requests', { subject: 'One' }))).toBe(true);
  expect(await json(`/v1/spaces/${id}/change-requests?status=draft`, { token })).toMatchObject({ count: 1 });
});

test('keys of different users are independent', async () => {
  const { request, makeOrganization, makeUser } = platform();
  const { id, token } = await makeOrganization();
  const other = await makeUser({ organization: id, role: 'admin' });
  const send = { body: { title: 'Each' } };
  const key = createKey();

  const mine = await request(`/v1/orgs/${id}/spaces`, addKey(key, { ...send, token }));
  const theirs = await request(`/v1/orgs/${id}/spaces`, addKey(key, { ...send, token: other.token }));

  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect([hasReplayed(mine), hasReplayed(theirs)]).toEqual([false, false]);
  expect(await mine.text()).not.toBe(await theirs.text());
});

test('a repeated request is authorized again', async () => {
  const { request, makeOrganization, makeUser } = platform();
  const { id, token } = await makeOrganization();
  const { user, ...member } = await makeUser({ organization: id, role: 'create' });
  const send = addKey(createKey(), { token: member.token, body: { title: 'Mine' } });

  expect((await request(`/v1/orgs/${id}/spaces`, send)).status).toBe(201);
  await json(`/v1/orgs/${id}/members/${user}`, { token, method: 'PATCH', body: { role: 'read' } });

  expect((await request(`/v1/orgs/${id}/spaces`, send)).status).toBe(403);
});

test('a request that waited for the first one is authorized again', async () => {
  const { request, makeOrganization, makeUser, dataDir } = platform();
  const { id, token } = await makeOrganization();
  const { user, ...member } = await makeUser({ organization: id, role: 'create' });
  const send = addKey(createKey(), { token: member.token, body: { title: 'Mine' } });
  const setState = (state: string) =>
    writeDatabase({ dataDir }, 'UPDATE idempotency_keys SET state = ? WHERE actor = ?', state, user);
  expect((await request(`/v1/orgs/${id}/spaces`, send)).status).toBe(201);
  await setState('claimed');

  const repeated = request(`/v1/orgs/${id}/spaces`, send);
  await json(`/v1/orgs/${id}/spaces`, { token });
  await json(`/v1/orgs/${id}/members/${user}`, { token, method: 'PATCH', body: { role: 'read' } });
  await setState('done');

  expect((await repeated).status).toBe(403);
});

test('a failed request releases its key', async () => {
  const { request, makeSpace } = platform();
  const { id, token } = await makeSpace();
  const key = createKey();
  const edit = (title: string, into?: string) =>
    request(`/v1/spaces/${id}/content`, addKey(key, { token, body: { changes: [insertPage(title, { into })] } }));

  expect((await edit('A page', 'nowhere')).status).toBe(400);
  const mended = await edit('A page');

  expect(mended.status).toBe(200);
  expect(hasReplayed(mended)).toBe(false);
});

test('returns a new token only once, and does not store it with the key', async () => {
  const { request, makeUser } = platform();
  const { token, user } = await makeUser();
  const send = addKey(createKey(), { token, body: { label: 'Laptop' } });

  const first = await request('/v1/user/tokens', send);
  const { id, token: secret } = (await first.json()) as { id: string; token: string };
  const response = await readResult(await request('/v1/user/tokens', send));

  expect(first.status).toBe(201);
  expect(response).toEqual({ status: 409, message: expect.stringContaining(id) });
  expect(response.message).not.toContain(secret);
  expect(JSON.stringify(query('SELECT * FROM idempotency_keys WHERE actor = ?', user))).not.toContain(secret);
  expect(await json('/v1/user/tokens', { token })).toMatchObject({ count: 2 });
});

/** Returns the fields of a response schema, including all members of a union. */
function getFields(response: unknown): string[] {
  const { shape = {}, options = [] } = Object(response) as { shape?: object; options?: unknown[] };
  return [...Object.keys(shape), ...options.flatMap(getFields)];
}

test('stores no response that contains a secret', () => {
  const holds = operations.filter(
    ({ endpoint }) =>
      supportsIdempotencyKey(endpoint) &&
      getFields(endpoint.response).some((field) => /token$|secret|privateKey/i.test(field)),
  );

  expect(holds.map(({ id }) => id).sort()).toEqual([
    'createServiceAccountToken',
    'createUserToken',
    'createWebhook',
    'regenerateSitePublishingAuthById',
    'rotateWebhookSecret',
  ]);
  expect(holds.map(({ endpoint }) => endpoint.secret)).toEqual(holds.map(() => true));
});
