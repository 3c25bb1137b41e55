import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const getPath = (organization: { id: string }, user: string) =>
  `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;

test('creates a token that acts as the account, in its organization', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeServiceAccount(organization, 'edit');
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const body = { label: 'For the build', scopes: ['space:read', 'organization:read'], expiresAt };

  const response = await request(getPath(organization, user), { token: organization.token, body });
  const newToken = (await response.json()) as { id: string; token: string };

  expect(response.status).toBe(201);
  expect(newToken).toEqual({
    object: 'user-token',
    id: expect.stringMatching(/^tok_\w{20}$/),
    createdAt: expect.any(String),
    token: expect.stringMatching(/^octavo_\w{40}$/),
    ...body,
  });
  expect(await json('/v1/user', newToken)).toMatchObject({ id: user });
  expect(query('SELECT user, organization FROM tokens WHERE id = ?', newToken.id)).toEqual([
    { user, organization: organization.id },
  ]);
  expect(
    query('SELECT organization, actor FROM outbox WHERE data = ?', JSON.stringify({ token: newToken.id })),
  ).toEqual([{ organization: organization.id, actor: organization.user }]);
});

test.each([
  [{}],
  [{ label: '' }],
  [{ label: 'x', scopes: [] }],
  [{ label: 'x', scopes: 'space:read' }],
  [{ label: 'x', scopes: ['read *'] }],
  [{ label: 'x', expiresAt: '2020-01-01T00:00:00.000Z' }],
])('rejects %j', async (body) => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeServiceAccount(organization);
  const path = getPath(organization, user);

  expect((await request(path, { token: organization.token, body })).status).toBe(400);
  expect(await json(path, organization)).toMatchObject({ count: 1 });
});

test('an admin cannot create tokens for people, or for accounts of other organizations', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const person = await makeUser({ organization: organization.id, role: 'read' });
  const foreign = await makeServiceAccount(other);
  const body = { label: 'stolen' };

  for (const user of [person.user, organization.user, foreign.user, 'usr_madeup']) {
    const response = await request(getPath(organization, user), { token: organization.token, body });
    expect([user, response.status]).toEqual([user, 404]);
  }
  expect(query("SELECT id FROM tokens WHERE label = 'stolen' AND user IN (?, ?)", person.user, foreign.user)).toEqual(
    [],
  );
});

test('an account has at most 100 tokens', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeServiceAccount(organization);
  const createTokens = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        request(getPath(organization, user), { token: organization.token, body: { label: 'x' } }),
      ),
    );
  for (let index = 0; index < 90; index += 10) await createTokens(10);

  const statuses = (await createTokens(20)).map(({ status }) => status);

  expect(statuses.filter((status) => status === 201)).toHaveLength(9);
  expect(statuses.filter((status) => status === 409)).toHaveLength(11);
});
