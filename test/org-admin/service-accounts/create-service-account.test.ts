import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const getPath = ({ id }: { id: string }) => `/v1/orgs/${id}/service-accounts`;

test('creates a member that no user can sign in as', async () => {
  const { makeOrganization, request, url } = platform();
  const organization = await makeOrganization();
  const body = { displayName: ' CI ', role: 'edit' };

  const response = await request(getPath(organization), { token: organization.token, body });
  const account = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(account).toEqual({
    object: 'member',
    id: expect.stringMatching(/^usr_\w{20}$/),
    role: 'edit',
    user: {
      object: 'user',
      id: account.id,
      displayName: 'CI',
      email: `${account.id}@service.invalid`,
      urls: { location: `${url}/v1/users/${account.id}` },
    },
    disabled: false,
    joinedAt: expect.any(String),
    sso: false,
    spaces: 0,
    teams: 0,
    sites: 0,
  });
  expect((await json<{ items: object[] }>(getPath(organization), organization)).items).toEqual([account]);
  expect(query('SELECT kind, email_verified_at FROM users WHERE id = ?', account.id)).toEqual([
    { kind: 'service', email_verified_at: null },
  ]);
  expect(query('SELECT actor, type FROM outbox WHERE data = ?', JSON.stringify({ user: account.id }))).toEqual([
    { actor: organization.user, type: 'member.added' },
  ]);
});

test.each(['admin', 'read', null])('has the role %s in its organization, and no role elsewhere', async (role) => {
  const { makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const other = await makeSpace();
  const { token } = await makeServiceAccount(organization, role);

  expect((await request(`/v1/spaces/${space.id}`, { token })).status).toBe(role === null ? 404 : 200);
  expect((await request(`/v1/spaces/${other.id}`, { token })).status).toBe(404);
  expect(await json('/v1/orgs', { token })).toMatchObject({ items: [{ id: organization.id }] });
});

test.each([
  [undefined],
  [{}],
  [{ displayName: 'CI' }],
  [{ role: 'read' }],
  [{ displayName: '', role: 'read' }],
  [{ displayName: 'x'.repeat(65), role: 'read' }],
  [{ displayName: 'CI', role: 'owner' }],
])('rejects %j', async (body) => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const path = getPath(organization);

  expect((await request(path, { token: organization.token, method: 'POST', body })).status).toBe(400);
  expect(await json(path, organization)).toEqual({ count: 0, items: [] });
});

test('an organization has at most 100 service accounts, also with concurrent requests', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const body = { displayName: 'CI', role: 'read' };
  const createAccounts = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => request(getPath(organization), { token: organization.token, body })),
    );
  for (let index = 0; index < 90; index += 10) await createAccounts(10);

  const responses = await createAccounts(25);
  const refusedResponses = responses.filter(({ status }) => status === 409);

  expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(refusedResponses).toHaveLength(15);
  expect(await refusedResponses[0]?.json()).toMatchObject({
    error: { type: 'conflict', message: 'An organization can have at most 100 service accounts.' },
  });
  expect(await json(`${getPath(organization)}?limit=1000`, organization)).toMatchObject({ count: 100 });
});
