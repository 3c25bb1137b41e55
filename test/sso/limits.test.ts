import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { begin, deliver, makeSso, session, signIn } from '../support/sign-in.ts';

const person = () => {
  const address = `${randomUUID()}@people.test`;
  return { email: address, says: { subject: address, attributes: { email: address } } };
};

test('6: no token that is made through a session outlives the session', async () => {
  const sso = await makeSso();
  const { token, expiresAt } = await session(sso, person().says);
  const later = new Date(Date.parse(expiresAt) + 60_000).toISOString();
  const sooner = new Date(Date.parse(expiresAt) - 60_000).toISOString();
  const make = (more: object) =>
    json<{ expiresAt: string }>('/v1/user/tokens', { token, body: { label: 'more', ...more } });

  expect((await make({})).expiresAt).toBe(expiresAt);
  expect((await make({ expiresAt: later })).expiresAt).toBe(expiresAt);
  expect((await make({ expiresAt: sooner })).expiresAt).toBe(sooner);
});

test("10: an invitation to another organization does not keep an address's owner from signing in at home", async () => {
  const { makeOrganization, request } = platform();
  const { email, says } = person();
  const elsewhere = await makeOrganization();
  await json(`/v1/orgs/${elsewhere.id}/invites`, { token: elsewhere.token, body: { emails: [email] } });
  const sso = await makeSso();

  const { token } = await session(sso, says);

  expect((await request(`/v1/orgs/${sso.organization.id}`, { token })).status).toBe(200);
  expect((await request(`/v1/orgs/${elsewhere.id}`, { token })).status).toBe(404);
});

test('10: an account that another SSO has signed in to is not signed in to by this one', async () => {
  const { says } = person();
  const [one, other] = [await makeSso(), await makeSso()];
  await session(one, says);

  expect((await signIn(other, says)).status).toBe(403);
});

test('where SSO is enforced, whoever is invited signs in through it, also without a word of it in the invitation', async () => {
  const { email, says } = person();
  const sso = await makeSso();
  const { id, token } = sso.organization;
  await json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { sso: true } });
  const { users } = await json<{ users: string[] }>(`/v1/orgs/${id}/invites`, {
    token,
    body: { emails: [{ email, role: 'edit' }] },
  });

  const entered = await session(sso, says);

  expect(await json('/v1/user', { token: entered.token })).toMatchObject({ id: users[0] });
  expect(await json(`/v1/orgs/${id}/members/${users[0]}`, { token })).toMatchObject({ sso: true, role: 'edit' });
});

test('a provider through which the last admin comes in is neither deleted nor made another', async () => {
  const { request } = platform();
  const { says } = person();
  const sso = await makeSso({ settings: { defaultRole: 'admin' } });
  const { id, token, user } = sso.organization;
  const { token: admin } = await session(sso, says);
  expect((await request(`/v1/orgs/${id}/members/${user}`, { token, method: 'DELETE' })).status).toBe(204);
  const path = `/v1/orgs/${id}/saml/${sso.provider.id}`;

  expect((await request(path, { token: admin, method: 'DELETE' })).status).toBe(412);
  for (const body of [{ entityID: 'https://mistyped.test' }, { certificate: '' }]) {
    expect((await request(path, { token: admin, method: 'PATCH', body })).status).toBe(412);
  }
  expect((await request(`/v1/orgs/${id}`, { token: admin })).status).toBe(200);
});

test('14: a response to a sign-in that nobody began is refused before it is read', async () => {
  const sso = await makeSso();
  const { request } = await begin(sso);

  const answers = await Promise.all(['_unknown', request].map((id) => deliver(sso, 'no XML at all', id)));

  expect(answers.map(({ status }) => status)).toEqual([403, 400]);
});
