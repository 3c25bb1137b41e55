import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { scopes } from '@octavo/schema';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { readLogOfRequest } from '../support/log.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';

interface CreatedToken {
  id: string;
  token: string;
}
const make = (token: string, more: object = {}) =>
  json<CreatedToken>('/v1/user/tokens', { token, body: { label: 'x', ...more } });

test('a token is stored only as its SHA-256 hash', async () => {
  const { token } = await platform().makeUser();
  const newToken = await make(token);
  const tables = query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");

  expect(query('SELECT hash FROM tokens WHERE id = ?', newToken.id)).toEqual([
    { hash: createHash('sha256').update(newToken.token).digest('hex') },
  ]);
  for (const { name } of tables.filter(({ name }) => !/^(_cf_|sqlite_)/.test(name))) {
    const rows = JSON.stringify(query(`SELECT * FROM ${name} ORDER BY 1 DESC LIMIT 5000`));
    expect([name, rows.includes(newToken.token) || rows.includes(token)]).toEqual([name, false]);
  }
});

test('the log never contains a token, whatever happened to the request', async () => {
  const { makeUser, makeSpace, request } = platform();
  const { token } = await makeUser();
  const space = await makeSpace();
  const newToken = await make(token);
  const unknown = `octavo_${'z'.repeat(40)}`;
  for (const each of [token, newToken.token, space.token, unknown]) {
    await request(`/v1/spaces/${space.id}`, { token: each });
    await request('/v1/user/tokens', { token: each, body: 'not json' });
    await request('/v1/nothing', { token: each });
    await request('/v1/user', { headers: { authorization: each } });
  }
  const log = await readLogOfRequest(await request('/v1/user', { token }));

  for (const each of [token, newToken.token, space.token, unknown]) expect(log.includes(each)).toBe(false);
});

test('error messages never repeat a rejected token', async () => {
  const response = await platform().request('/v1/user', { token: `octavo_${'y'.repeat(40)}` });

  expect(await response.text()).not.toContain('yyyy');
});

test('a scoped token cannot create, list or delete tokens, not even with all scopes', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const limited = await make(token, { scopes });
  const count = () => json<{ count: number }>('/v1/user/tokens', { token });
  const before = await count();

  expect((await request('/v1/user/tokens', { token: limited.token, body: { label: 'more' } })).status).toBe(403);
  expect((await request('/v1/user/tokens', { token: limited.token })).status).toBe(403);
  expect((await request(`/v1/user/tokens/${limited.id}`, { token: limited.token, method: 'DELETE' })).status).toBe(403);
  expect(await count()).toEqual(before);
});

test('a scoped token cannot create admins by role, invitation or invite link', async () => {
  const { makeOrganization, makeUser, request: send } = platform();
  const { id, token } = await makeOrganization();
  const { user } = await makeUser({ organization: id, role: 'read' });
  const limited = await make(token, { scopes: ['organization:members:write'] });
  const emails = [`${randomUUID()}@example.test`];
  const calls = [
    (role: string) => ['PATCH', `/members/${user}`, { role }] as const,
    (role: string) => ['POST', '/invites', { emails, role }] as const,
    (role: string) => ['POST', '/link-invites', { role }] as const,
  ];

  for (const call of calls) {
    for (const [role, isDone] of [
      ['admin', false],
      ['create', true],
    ] as const) {
      const [method, path, body] = call(role);
      const response = await send(`/v1/orgs/${id}${path}`, { token: limited.token, method, body });
      expect([path, role, response.ok || response.status]).toEqual([path, role, isDone || 403]);
    }
  }
});

test('rejects an expired token', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const newToken = await make(token, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect((await request('/v1/user', { token: newToken.token })).status).toBe(200);
  await writeDatabase(platform(), 'UPDATE tokens SET expires_at = 1 WHERE id = ?', newToken.id);

  const status = await until(async () => {
    const response = await request('/v1/user', { token: newToken.token });
    return response.status === 200 ? undefined : response.status;
  });

  expect(status).toBe(401);
});

test("rejects a token's hash as a token", async () => {
  const { token } = await platform().makeUser();
  const hash = createHash('sha256').update(token).digest('hex');

  expect((await platform().request('/v1/user', { token: hash })).status).toBe(401);
});

test('a caller who is removed while their body is being sent writes nothing', async () => {
  const { makeOrganization, makeUser, request: send, url } = platform();
  const organization = await makeOrganization();
  const admin = await makeUser({ organization: organization.id, role: 'admin' });
  const path = `/v1/orgs/${organization.id}/service-accounts`;
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ displayName: 'Back door', role: 'admin' });
  const slow = request(new URL(path, url), { method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } });
  const answered = once(slow, 'response');
  slow.write(body.slice(0, 1));
  const began = performance.now();
  await until(async () => {
    slow.write(' ');
    await send('/v1/user', { token: admin.token });
    return performance.now() - began > 1000 || undefined;
  });

  const response = await send(`/v1/orgs/${organization.id}/members/${admin.user}`, {
    token: organization.token,
    method: 'DELETE',
  });
  expect(response.status).toBe(204);
  slow.end(body.slice(1));
  const [nextResponse] = (await answered) as [IncomingMessage];
  nextResponse.resume();

  expect(nextResponse.statusCode).toBe(404);
  expect(await json(path, { token: organization.token })).toMatchObject({ count: 0 });
});
