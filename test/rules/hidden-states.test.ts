import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import { platform } from '../support/platform.ts';

const server = platform();

test('a deleted space is visible only to users who can restore it', async () => {
  const { makeOrganization, makeSpace, makeUser, request, dataDir } = server;
  const organization = await makeOrganization();
  const { id, token } = await makeSpace({ organization });
  const reviewer = await makeUser({ organization: organization.id, role: 'review' });
  await writeDatabase({ dataDir }, 'UPDATE spaces SET deleted_at = ? WHERE id = ?', Date.now(), id);

  expect(await json(`/v1/spaces/${id}`, { token }, server)).toMatchObject({
    deletedAt: expect.any(String),
    permissions: { view: true, admin: true, access: false, edit: false, merge: false },
  });
  expect((await request(`/v1/spaces/${id}`, { token: reviewer.token })).status).toBe(404);
  for (const path of ['/content', '/content/pages', '/change-requests', '/search?query=x']) {
    expect([path, (await request(`/v1/spaces/${id}${path}`, { token })).status]).toEqual([path, 404]);
  }
  expect((await request(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { title: 'x' } })).status).toBe(404);
  expect(await json(`/v1/orgs/${organization.id}/spaces`, { token }, server)).toMatchObject({ count: 0 });
});

test('omits organizations in which the caller is disabled', async () => {
  const { makeOrganization, makeUser, dataDir } = server;
  const { id } = await makeOrganization();
  const { token, user } = await makeUser({ organization: id, role: 'admin' });
  await writeDatabase({ dataDir }, 'UPDATE members SET disabled = 1 WHERE organization = ? AND user = ?', id, user);

  expect(await json('/v1/orgs', { token }, server)).toEqual({ count: 0, items: [] });
});

test("a disabled member cannot read the organization's other members", async () => {
  const { makeOrganization, makeUser, request, dataDir } = server;
  const { id, user: admin } = await makeOrganization();
  const { token, user } = await makeUser({ organization: id, role: 'admin' });
  await writeDatabase({ dataDir }, 'UPDATE members SET disabled = 1 WHERE organization = ? AND user = ?', id, user);

  expect((await request(`/v1/users/${admin}`, { token })).status).toBe(404);
});

test('disabling a member invalidates only the tokens that are bound to the organization', async () => {
  const { makeOrganization, makeUser, request, dataDir } = server;
  const { id, token: admin } = await makeOrganization();
  const member = await makeUser({ organization: id, role: 'edit' });
  const body = { label: 'Not bound' };
  const { token } = await json<{ token: string }>('/v1/user/tokens', { token: member.token, body }, server);
  await writeDatabase(
    { dataDir },
    "UPDATE tokens SET organization = ? WHERE user = ? AND label <> 'Not bound'",
    id,
    member.user,
  );
  const path = `/v1/orgs/${id}/members/${member.user}`;
  expect((await request(`/v1/orgs/${id}`, member)).status).toBe(200);

  await json(`${path}/disable`, { token: admin, method: 'POST' }, server);
  expect((await request(`/v1/orgs/${id}`, member)).status).toBe(401);
  expect((await request('/v1/user', { token })).status).toBe(200);
  expect((await request(`/v1/orgs/${id}`, { token })).status).toBe(404);

  await json(`${path}/enable`, { token: admin, method: 'POST' }, server);
  expect((await request(`/v1/orgs/${id}`, member)).status).toBe(200);
  expect((await request(`/v1/orgs/${id}`, { token })).status).toBe(200);
});

test('rejects an expired token at once', async () => {
  const { makeUser, request, dataDir } = server;
  const { token, user } = await makeUser();
  expect((await request('/v1/user', { token })).status).toBe(200);
  await writeDatabase({ dataDir }, 'UPDATE tokens SET expires_at = ? WHERE user = ?', Date.now() - 1, user);

  expect((await request('/v1/user', { token })).status).toBe(401);
});

test('the client receives a fixed message for an internal error', async () => {
  const { makeSpace, request, dataDir } = server;
  const { id, token } = await makeSpace();
  await writeDatabase({ dataDir }, "UPDATE revisions SET lineage = 'the secret' WHERE space = ?", id);

  const response = await request(`/v1/spaces/${id}`, { token });

  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: {
      code: 500,
      message: 'The server failed to handle the request. Try again later.',
      type: 'internal',
      requestId: response.headers.get('octavo-request-id'),
    },
  });
});

test('a disabled member is enabled again when the operator sets a role', async () => {
  const { makeOrganization, makeUser, dataDir } = server;
  const { id } = await makeOrganization();
  const { token, user } = await makeUser({ organization: id, role: 'admin' });
  const { email } = await json<{ email: string }>('/v1/user', { token }, server);
  await writeDatabase({ dataDir }, 'UPDATE members SET disabled = 1 WHERE organization = ? AND user = ?', id, user);

  await callOperator(dataDir, '/token', { email, organization: id, role: 'read' });

  expect(await json(`/v1/orgs/${id}`, { token }, server)).toMatchObject({ id, permissions: { admin: false } });
});
