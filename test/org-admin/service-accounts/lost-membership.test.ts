import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { readPast, writePast } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const server = platform();
let organization: TestOrganization;
beforeAll(async () => {
  organization = await server.makeOrganization();
});

const getTokens = (user: string) => `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;
const mint = (user: string) =>
  server.request(getTokens(user), { token: organization.token, body: { label: 'outlives' } });
const listed = async () =>
  (
    await json<{ items: { id: string; disabled: boolean }[] }>(
      `/v1/orgs/${organization.id}/service-accounts`,
      organization,
      server,
    )
  ).items;

test('a disabled service account cannot use or get tokens until it is enabled', async () => {
  const { user, token } = await makeServiceAccount(organization, 'admin', server);
  await writePast(server, 'UPDATE members SET disabled = 1 WHERE user = ?', user);

  expect((await server.request('/v1/user', { token })).status).toBe(401);
  const answer = await mint(user);
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({
    error: { type: 'conflict', message: 'The service account is disabled or was removed.' },
  });
  expect(await listed()).toMatchObject([{ id: user, disabled: true }]);

  const path = `/v1/orgs/${organization.id}/members/${user}/enable`;
  await json(path, { token: organization.token, method: 'POST' }, server);
  expect((await server.request('/v1/user', { token })).status).toBe(200);
});

test('a removed service account is not listed, and its tokens are revoked', async () => {
  const { user, token } = await makeServiceAccount(organization, 'admin', server);
  await writePast(server, 'DELETE FROM members WHERE user = ?', user);

  expect((await server.request('/v1/user', { token })).status).toBe(401);
  expect((await mint(user)).status).toBe(404);
  expect((await server.request(getTokens(user), organization)).status).toBe(404);
  expect((await listed()).map(({ id }) => id)).not.toContain(user);
  expect(readPast(server.dataDir, 'SELECT service_of FROM users WHERE id = ?', user)).toEqual([{ service_of: null }]);
});
