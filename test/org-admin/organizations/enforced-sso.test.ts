import { createId } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const server = platform();
let organization: TestOrganization;
let other: TestOrganization;
/** A member of both organizations. */
let member: TestUser;
let provider: string;

const write = (statement: string, ...values: (string | number)[]) => writeDatabase(server, statement, ...values);
const read = <Body>(path: string, token: string) => json<Body>(path, { token }, server);
const getStatus = async (path: string, token: string) => (await server.request(path, { token })).status;
const setSso = (sso: boolean) =>
  server.request(`/v1/orgs/${organization.id}`, { token: organization.token, method: 'PATCH', body: { sso } });

async function listOrganizations(token: string): Promise<{ id: string }[]> {
  const { items } = await read<{ items: { id: string }[] }>('/v1/orgs', token);
  for (const item of items) expect(item).toEqual(await read(`/v1/orgs/${item.id}`, token));
  return items;
}

/** Creates a member of both organizations. `bind` creates a token like the one from SSO, bound to the first. */
async function makeMember(): Promise<TestUser> {
  const user = await server.makeUser({ organization: organization.id, role: 'edit' });
  const statement = "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)";
  await write(statement, other.id, user.user);
  return user;
}

async function bind({ token }: TestUser): Promise<string> {
  const newToken = await json<{ id: string; token: string }>(
    '/v1/user/tokens',
    { token, body: { label: 'bound' } },
    server,
  );
  await write('UPDATE tokens SET organization = ? WHERE id = ?', organization.id, newToken.id);
  return newToken.token;
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  other = await server.makeOrganization();
  member = await makeMember();
  provider = createId('samlProvider');
  const columns =
    "(id, organization, label, sso_url, entity_id, certificate, created_at) VALUES (?, ?, 'IdP', ?, ?, ?, 1)";
  await write(
    `INSERT INTO saml_providers ${columns}`,
    provider,
    organization.id,
    'https://idp.test',
    'https://idp.test',
    'MII',
  );
});

test.each(['sso_url', 'entity_id', 'certificate'])('enforcing SSO requires a provider with %s', async (column) => {
  await write(`UPDATE saml_providers SET ${column} = '' WHERE id = ?`, provider);
  expect((await setSso(true)).status).toBe(412);
  await write(`UPDATE saml_providers SET ${column} = 'https://idp.test' WHERE id = ?`, provider);
  expect(await (await setSso(true)).json()).toMatchObject({ sso: true });
  expect(await (await setSso(false)).json()).toMatchObject({ sso: false });
});

test('ignores providers of another organization', async () => {
  const body = { sso: true };

  expect((await server.request(`/v1/orgs/${other.id}`, { token: other.token, method: 'PATCH', body })).status).toBe(
    412,
  );
});

test('a token from another sign-in has guest access to an organization with enforced SSO, also in lists', async () => {
  await setSso(true);
  const items = await listOrganizations(member.token);

  expect(items.map(({ id }) => id).sort()).toEqual([organization.id, other.id].sort());
  expect(items.find(({ id }) => id === organization.id)).toMatchObject({
    sso: true,
    permissions: { view: true, listMembers: false, createContent: false },
  });
  expect(await listOrganizations(organization.token)).toMatchObject([{ permissions: { admin: true } }]);
});

test('a bound token can read only its organization, also in lists', async () => {
  await setSso(true);
  const bound = await bind(member);
  const robot = await makeServiceAccount(organization, 'read', server);

  for (const [token, role] of [
    [bound, { listMembers: true, admin: false }],
    [robot.token, { listMembers: true, createContent: false }],
  ] as const) {
    expect(await listOrganizations(token)).toMatchObject([{ id: organization.id, permissions: role }]);
    expect(await getStatus(`/v1/orgs/${other.id}`, token)).toBe(404);
  }
});

test('token, SSO and membership determine which users are visible to a caller', async () => {
  const { user: here } = await server.makeUser({ organization: organization.id, role: 'read' });
  const { user: there } = await server.makeUser({ organization: other.id, role: 'read' });
  const caller = await makeMember();
  const bound = await bind(caller);
  const readVisibleData = async (token: string) => [
    await getStatus(`/v1/users/${here}`, token),
    await getStatus(`/v1/users/${there}`, token),
    await getStatus(`/v1/users/${caller.user}`, token),
  ];

  await setSso(false);
  expect(await readVisibleData(caller.token)).toEqual([200, 200, 200]);
  await setSso(true);
  expect(await readVisibleData(caller.token)).toEqual([404, 200, 200]);
  expect(await readVisibleData(bound)).toEqual([200, 404, 200]);
  expect(await readVisibleData(organization.token)).toEqual([200, 404, 200]);
  await write('UPDATE members SET disabled = 1 WHERE user = ? AND organization = ?', caller.user, other.id);
  expect(await readVisibleData(caller.token)).toEqual([404, 404, 200]);
});

test('a bound token cannot change data that other organizations see', async () => {
  const caller = await makeMember();
  const bound = await bind(caller);
  const path = `/v1/users/${caller.user}`;
  const rename = async (token: string, body: object = { displayName: 'New' }) =>
    (await server.request(path, { token, method: 'PATCH', body })).status;

  expect(await rename(bound)).toBe(403);
  expect(await rename(bound, {})).toBe(403);
  expect(await read(path, caller.token)).toMatchObject({ displayName: 'A tester' });
  await write('UPDATE members SET disabled = 1 WHERE user = ? AND organization = ?', caller.user, other.id);
  expect(await rename(bound)).toBe(403);
  await write('DELETE FROM members WHERE user = ? AND organization = ?', caller.user, other.id);
  expect(await rename(bound)).toBe(403);
  await write('DELETE FROM tokens WHERE user = ? AND organization IS NULL', caller.user);
  expect(await rename(bound)).toBe(403);
  await write('UPDATE users SET email_verified_at = NULL WHERE id = ?', caller.user);
  expect(await rename(bound)).toBe(200);
  expect(await read(path, bound)).toMatchObject({ displayName: 'New' });
});

test("a bound token cannot list or delete the user's other tokens", async () => {
  const caller = await makeMember();
  const bound = await bind(caller);
  const listTokens = async (token: string) =>
    (await read<{ items: { label: string; id: string }[] }>('/v1/user/tokens', token)).items;
  const wide = (await listTokens(caller.token)).find(({ label }) => label === 'operator');
  const end = async (token: string) =>
    (await server.request(`/v1/user/tokens/${wide?.id}`, { token, method: 'DELETE' })).status;

  expect((await listTokens(bound)).map(({ label }) => label)).toEqual(['bound']);
  expect((await listTokens(caller.token)).map(({ label }) => label).sort()).toEqual(['bound', 'operator']);
  expect(await end(bound)).toBe(404);
  expect(await getStatus('/v1/user', caller.token)).toBe(200);
});

test('a token created with a bound token is bound too, and is revoked with the membership', async () => {
  const caller = await makeMember();
  const bound = await bind(caller);
  const body = { label: 'more' };
  const newToken = await json<{ token: string }>('/v1/user/tokens', { token: bound, body }, server);

  expect(await listOrganizations(newToken.token)).toMatchObject([{ id: organization.id }]);
  expect(await getStatus(`/v1/orgs/${other.id}`, newToken.token)).toBe(404);
  await write('UPDATE members SET disabled = 1 WHERE user = ? AND organization = ?', caller.user, organization.id);
  expect(await getStatus('/v1/user', newToken.token)).toBe(401);
  expect(await getStatus('/v1/user', caller.token)).toBe(200);
});
