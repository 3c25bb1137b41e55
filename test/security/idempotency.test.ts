import { supportsIdempotencyKey } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { json } from '../support/content.ts';
import { query, writePast } from '../support/database.ts';
import { operations } from '../support/endpoints.ts';
import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

const newKey = () => crypto.randomUUID();
const withKey = (key: string, options: RequestOptions): RequestOptions => ({
  ...options,
  headers: { 'idempotency-key': key },
});

const hasReplayed = (answer: Response) => answer.headers.get('idempotency-replayed') === 'true';

async function told(answer: Response) {
  const body = (await answer.json()) as { error: { message: string } };
  return { status: answer.status, message: body.error.message };
}

test('concurrent creates with one key create one object and return one response', async () => {
  const { request, makeOrganization } = platform();
  const { id, token } = await makeOrganization();
  const send = withKey(newKey(), { token, body: { title: 'Once' } });

  const answers = await Promise.all(Array.from({ length: 25 }, () => request(`/v1/orgs/${id}/spaces`, send)));

  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(bodies.size).toBe(1);
  expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
  expect(answers.filter((answer) => !hasReplayed(answer))).toHaveLength(1);
  expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(answers.map(() => 'application/json'));
  expect(await json(`/v1/orgs/${id}/spaces`, { token })).toMatchObject({ count: 1 });
});

test('concurrent edits and merges with one key are executed once', async () => {
  const server = platform();
  const made = await server.makeSpace();
  const space = getClient(server, made);
  const base = `/v1/spaces/${made.id}`;
  const edit = withKey(newKey(), { token: made.token, body: { changes: [insertPage('Once')] } });

  const edits = await Promise.all(Array.from({ length: 10 }, () => server.request(`${base}/content`, edit)));
  const branch = await space.open();
  await space.change([insertPage('More')], branch);
  const merge = withKey(newKey(), { token: made.token, method: 'POST' });
  const path = `${base}/change-requests/${branch}/merge`;
  const merges = await Promise.all(Array.from({ length: 5 }, () => server.request(path, merge)));

  expect(new Set(await Promise.all(edits.map((answer) => answer.text()))).size).toBe(1);
  expect(new Set(await Promise.all(merges.map((answer) => answer.text()))).size).toBe(1);
  expect([...edits, ...merges].map(({ status }) => status)).toEqual([...edits, ...merges].map(() => 200));
  expect((await space.pages()).map(({ title }) => title)).toEqual(['Once', 'More']);
});

test('returns 409 if the key was used with another body, query or path', async () => {
  const { request, makeSpace } = platform();
  const { id, token } = await makeSpace();
  const key = newKey();
  const post = (path: string, body: object) => request(`/v1/spaces/${id}${path}`, withKey(key, { token, body }));

  expect((await post('/change-requests', { subject: 'One' })).status).toBe(201);
  const others = [
    await post('/change-requests', { subject: 'Other' }),
    await post('/content?compat=false', { changes: [insertPage('One')] }),
    await post('/content', { changes: [insertPage('One')] }),
  ];

  for (const answer of others) {
    expect(await told(answer)).toEqual({
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
  const key = newKey();

  const mine = await request(`/v1/orgs/${id}/spaces`, withKey(key, { ...send, token }));
  const theirs = await request(`/v1/orgs/${id}/spaces`, withKey(key, { ...send, token: other.token }));

  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect([hasReplayed(mine), hasReplayed(theirs)]).toEqual([false, false]);
  expect(await mine.text()).not.toBe(await theirs.text());
});

test('a repeated request is authorized again', async () => {
  const { request, makeOrganization, makeUser } = platform();
  const { id, token } = await makeOrganization();
  const { user, ...member } = await makeUser({ organization: id, role: 'create' });
  const send = withKey(newKey(), { token: member.token, body: { title: 'Mine' } });

  expect((await request(`/v1/orgs/${id}/spaces`, send)).status).toBe(201);
  await json(`/v1/orgs/${id}/members/${user}`, { token, method: 'PATCH', body: { role: 'read' } });

  expect((await request(`/v1/orgs/${id}/spaces`, send)).status).toBe(403);
});

test('a request that waited for the first one is authorized again', async () => {
  const { request, makeOrganization, makeUser, dataDir } = platform();
  const { id, token } = await makeOrganization();
  const { user, ...member } = await makeUser({ organization: id, role: 'create' });
  const send = withKey(newKey(), { token: member.token, body: { title: 'Mine' } });
  const setState = (state: string) =>
    writePast({ dataDir }, 'UPDATE idempotency_keys SET state = ? WHERE actor = ?', state, user);
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
  const key = newKey();
  const edit = (title: string, into?: string) =>
    request(`/v1/spaces/${id}/content`, withKey(key, { token, body: { changes: [insertPage(title, { into })] } }));

  expect((await edit('A page', 'nowhere')).status).toBe(400);
  const mended = await edit('A page');

  expect(mended.status).toBe(200);
  expect(hasReplayed(mended)).toBe(false);
});

test('returns a new token only once, and does not store it with the key', async () => {
  const { request, makeUser } = platform();
  const { token, user } = await makeUser();
  const send = withKey(newKey(), { token, body: { label: 'Laptop' } });

  const first = await request('/v1/user/tokens', send);
  const { id, token: secret } = (await first.json()) as { id: string; token: string };
  const again = await told(await request('/v1/user/tokens', send));

  expect(first.status).toBe(201);
  expect(again).toEqual({ status: 409, message: expect.stringContaining(id) });
  expect(again.message).not.toContain(secret);
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
