import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const server = platform();
let organization: TestOrganization;
beforeAll(async () => {
  organization = await server.makeOrganization();
});

const getTokens = (user: string) => `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;
const createAccountToken = (user: string) =>
  server.request(getTokens(user), { token: organization.token, body: { label: 'outlives' } });
const listAccounts = async () =>
  (
    await json<{ items: { id: string; disabled: boolean }[] }>(
      `/v1/orgs/${organization.id}/service-accounts`,
      organization,
      server,
    )
  ).items;

test('a disabled service account cannot use or get tokens until it is enabled', async () => {
  const { user, token } = await makeServiceAccount(organization, 'admin', server);
  await writeDatabase(server, 'UPDATE members SET disabled = 1 WHERE user = ?', user);

  expect((await server.request('/v1/user', { token })).status).toBe(401);
  const response = await createAccountToken(user);
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({
    error: { type: 'conflict', message: 'The service account is disabled or was removed.' },
  });
  expect(await listAccounts()).toMatchObject([{ id: user, disabled: true }]);

  const path = `/v1/orgs/${organization.id}/members/${user}/enable`;
  await json(path, { token: organization.token, method: 'POST' }, server);
  expect((await server.request('/v1/user', { token })).status).toBe(200);
});

test('a removed service account is not listed, and its tokens are revoked', async () => {
  const { user, token } = await makeServiceAccount(organization, 'admin', server);
  await writeDatabase(server, 'DELETE FROM members WHERE user = ?', user);

  expect((await server.request('/v1/user', { token })).status).toBe(401);
  expect((await createAccountToken(user)).status).toBe(404);
  expect((await server.request(getTokens(user), organization)).status).toBe(404);
  expect((await listAccounts()).map(({ id }) => id)).not.toContain(user);
  expect(queryDatabase(server.dataDir, 'SELECT service_of FROM users WHERE id = ?', user)).toEqual([
    { service_of: null },
  ]);
});
