import { hashToken } from '@octavo/db';
import { contracts } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query } from '../support/database.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { getPath, install, makeIntegration } from '../support/integrations.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { makeServiceAccount } from '../support/service-account.ts';

// A token that is bound to one organization cannot create an unbound token, and gives no access to another
// organization.

let organization: TestOrganization;
let other: TestOrganization;
/** A service account with the role admin, so that a rejection can only be due to the binding. */
let robot: TestUser;

beforeAll(async () => {
  const { makeOrganization } = platform();
  [organization, other] = [await makeOrganization(), await makeOrganization()];
  robot = await makeServiceAccount(organization, 'admin');
});

const listUnboundTokens = (user: string) =>
  query('SELECT id FROM tokens WHERE user = ? AND organization IS NULL', user);

test('this file tests every operation that issues a token', () => {
  const giving = operations.filter(({ endpoint }) => Object.hasOwn(getShape(endpoint.response), 'token'));

  expect(Object.keys(contracts)).toContain('org-admin');
  expect(giving.map(({ id }) => id).sort()).toEqual([
    'createIntegrationInstallationToken',
    'createServiceAccountToken',
    'createUserToken',
  ]);
});

const getShape = (schema: unknown): object => (schema as { shape?: object } | undefined)?.shape ?? {};

test('a token created with a bound token is bound to the same organization', async () => {
  let { token } = robot;
  for (let depth = 0; depth < 3; depth += 1) {
    const body = { label: `depth ${depth}` };
    const newToken = await json<{ id: string; token: string }>('/v1/user/tokens', { token, body });
    expect(query('SELECT user, organization FROM tokens WHERE id = ?', newToken.id)).toEqual([
      { user: robot.user, organization: organization.id },
    ]);
    token = newToken.token;
  }
  const tokens = `/v1/orgs/${organization.id}/service-accounts/${robot.user}/tokens`;
  const { id } = await json<{ id: string }>(tokens, { token, body: { label: 'by itself' } });

  expect(query('SELECT organization FROM tokens WHERE id = ?', id)).toEqual([{ organization: organization.id }]);
  expect(listUnboundTokens(robot.user)).toEqual([]);
});

test('the token of an installation is bound to its organization, and expires within hours', async () => {
  const integration = await makeIntegration(other);
  const installation = await install(integration, organization);
  const path = `${getPath(integration, installation)}/tokens`;
  const { token } = await json<{ token: string }>(path, { token: integration.token, method: 'POST' });

  const [row] = query(
    'SELECT organization, installation, expires_at FROM tokens WHERE hash = ?',
    await hashToken(token),
  );
  expect(row).toMatchObject({ organization: organization.id, installation: installation.id });
  expect(Number(row?.expires_at)).toBeLessThan(Date.now() + 2 * 3_600_000);
});

test("a bound token is rejected by every operation on the user's account", async () => {
  const { request } = platform();
  const concerned = operations.filter(({ endpoint }) => endpoint.access === 'account');
  expect(concerned.map(({ id }) => id)).toContain('createOrganization');

  for (const { id, endpoint } of concerned) {
    const { method } = endpoint;
    const ids = { organizationId: organization.id };
    const body = { title: 'Mine', label: 'x', displayName: 'x' };
    const response = await request(getAddress(endpoint, ids), {
      token: robot.token,
      method,
      ...(method === 'GET' ? {} : { body }),
    });
    expect([id, response.status]).toEqual([id, 403]);
  }
  expect(query('SELECT organization FROM members WHERE user = ?', robot.user)).toEqual([
    { organization: organization.id },
  ]);
});

test('every operation on another organization returns 404 for a bound token', async () => {
  const { request, makeSpace } = platform();
  const space = await makeSpace({ organization: other });
  const ids = { organizationId: other.id, spaceId: space.id, userId: other.user, revisionId: space.revision };
  const tenanted = operations.filter(({ endpoint }) => /:(?:organization|space)Id/.test(endpoint.path));

  for (const { id, endpoint } of tenanted) {
    if (endpoint.access === 'public' || endpoint.access === 'account' || endpoint.access === 'user') continue;
    const response = await request(getAddress(endpoint, ids), { token: robot.token, method: endpoint.method });
    expect([id, response.status]).toEqual([id, 404]);
  }
});

test('the token of a service account reveals no users of other organizations', async () => {
  const { request } = platform();

  expect((await request(`/v1/users/${organization.user}`, robot)).status).toBe(200);
  expect((await request(`/v1/users/${other.user}`, robot)).status).toBe(404);
  expect(await json('/v1/orgs', robot)).toMatchObject({ count: 1, items: [{ id: organization.id }] });
});

test('a scoped token of a service account can create no tokens, for itself or for others', async () => {
  const { request } = platform();
  const tokens = `/v1/orgs/${organization.id}/service-accounts/${robot.user}/tokens`;
  const body = { label: 'limited', scopes: ['organization:write', 'organization:members:write'] };
  const limited = await json<{ token: string }>(tokens, { token: organization.token, body });
  const count = () => query('SELECT id FROM tokens WHERE user = ?', robot.user).length;
  const before = count();

  for (const path of ['/v1/user/tokens', tokens]) {
    expect((await request(path, { token: limited.token, body: { label: 'more' } })).status).toBe(403);
  }
  const account = { displayName: 'Another', role: 'admin' };
  const accounts = `/v1/orgs/${organization.id}/service-accounts`;
  expect((await request(accounts, { token: limited.token, body: account })).status).toBe(403);
  expect(count()).toBe(before);
});

test('rejects a revoked token immediately, but no other tokens', async () => {
  const { request } = platform();
  const newToken = await json<{ id: string; token: string }>('/v1/user/tokens', {
    token: robot.token,
    body: { label: 'to be revoked' },
  });
  const path = `/v1/orgs/${organization.id}/service-accounts/${robot.user}/tokens/${newToken.id}`;

  expect((await request(path, { token: organization.token, method: 'DELETE' })).status).toBe(205);
  expect((await request('/v1/user', { token: newToken.token })).status).toBe(401);
  expect((await request('/v1/user/tokens', { token: newToken.token, body: { label: 'x' } })).status).toBe(401);
  expect((await request('/v1/user', robot)).status).toBe(200);
});

test.each(['disable', 'removal'])('none of 25 tokens created while %s locks out their member works', async (way) => {
  const { request } = platform();
  const account = await makeServiceAccount(organization, 'read');
  const path = `/v1/orgs/${organization.id}/members/${account.user}`;
  const createToken = () => request('/v1/user/tokens', { token: account.token, body: { label: 'late' } });
  const end = () =>
    way === 'disable'
      ? request(`${path}/disable`, { token: organization.token, method: 'POST' })
      : request(path, { token: organization.token, method: 'DELETE' });

  const mints = Array.from({ length: 25 }, createToken);
  const ended = await end();
  const responses = await Promise.all(mints);
  const statuses = responses.map(({ status }) => status);
  const tokens = await Promise.all(
    responses.filter(({ ok }) => ok).map(async (response) => ((await response.json()) as { token: string }).token),
  );

  expect(ended.ok).toBe(true);
  expect(statuses.filter((status) => ![201, 401].includes(status))).toEqual([]);
  expect((await createToken()).status).toBe(401);
  for (const token of tokens) expect((await request('/v1/user', { token })).status).toBe(401);
});
