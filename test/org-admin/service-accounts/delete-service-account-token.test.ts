import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

async function getToken(organization: { id: string; token: string }, user: string): Promise<string> {
  const path = `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;
  const { items } = await json<{ items: { id: string }[] }>(path, { token: organization.token });
  return items[0]?.id ?? '';
}

test('revokes a token at once', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user, token } = await makeServiceAccount(organization);
  const path = `/v1/orgs/${organization.id}/service-accounts/${user}/tokens/${await getToken(organization, user)}`;
  const end = () => request(path, { token: organization.token, method: 'DELETE' });

  expect((await request('/v1/user', { token })).status).toBe(200);
  expect((await end()).status).toBe(205);
  expect((await request('/v1/user', { token })).status).toBe(401);
  expect((await end()).status).toBe(404);
});

test('returns 404 for a token of another account', async () => {
  const { makeOrganization, request } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const [mine, second] = [await makeServiceAccount(organization), await makeServiceAccount(organization)];
  const foreign = await makeServiceAccount(other);
  const id = await getToken(organization, second.user);

  for (const [account, token] of [
    [mine.user, id],
    [organization.user, id],
    [mine.user, await getToken(other, foreign.user)],
    [foreign.user, await getToken(other, foreign.user)],
  ]) {
    const path = `/v1/orgs/${organization.id}/service-accounts/${account}/tokens/${token}`;
    expect((await request(path, { token: organization.token, method: 'DELETE' })).status).toBe(404);
  }
  for (const { token } of [second, foreign]) expect((await request('/v1/user', { token })).status).toBe(200);
});
