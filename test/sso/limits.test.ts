import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { begin, createSession, deliver, makeSso, signIn } from '../support/sign-in.ts';

const createPerson = () => {
  const address = `${randomUUID()}@people.test`;
  return { email: address, says: { subject: address, attributes: { email: address } } };
};

test('a token created with a session expires with the session at the latest', async () => {
  const sso = await makeSso();
  const { token, expiresAt } = await createSession(sso, createPerson().says);
  const later = new Date(Date.parse(expiresAt) + 60_000).toISOString();
  const sooner = new Date(Date.parse(expiresAt) - 60_000).toISOString();
  const make = (more: object) =>
    json<{ expiresAt: string }>('/v1/user/tokens', { token, body: { label: 'more', ...more } });

  expect((await make({})).expiresAt).toBe(expiresAt);
  expect((await make({ expiresAt: later })).expiresAt).toBe(expiresAt);
  expect((await make({ expiresAt: sooner })).expiresAt).toBe(sooner);
});

test('an invitation to another organization does not prevent the user from signing in through SSO', async () => {
  const { makeOrganization, request } = platform();
  const { email, says } = createPerson();
  const elsewhere = await makeOrganization();
  await json(`/v1/orgs/${elsewhere.id}/invites`, { token: elsewhere.token, body: { emails: [email] } });
  const sso = await makeSso();

  const { token } = await createSession(sso, says);

  expect((await request(`/v1/orgs/${sso.organization.id}`, { token })).status).toBe(200);
  expect((await request(`/v1/orgs/${elsewhere.id}`, { token })).status).toBe(404);
});

test('a provider cannot sign in to an account that is linked to another provider', async () => {
  const { says } = createPerson();
  const [one, other] = [await makeSso(), await makeSso()];
  await createSession(one, says);

  expect((await signIn(other, says)).status).toBe(403);
});

test('with enforced SSO, invited users sign in through it', async () => {
  const { email, says } = createPerson();
  const sso = await makeSso();
  const { id, token } = sso.organization;
  await json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { sso: true } });
  const { users } = await json<{ users: string[] }>(`/v1/orgs/${id}/invites`, {
    token,
    body: { emails: [{ email, role: 'edit' }] },
  });

  const entered = await createSession(sso, says);

  expect(await json('/v1/user', { token: entered.token })).toMatchObject({ id: users[0] });
  expect(await json(`/v1/orgs/${id}/members/${users[0]}`, { token })).toMatchObject({ sso: true, role: 'edit' });
});

test('the provider that the last admin uses cannot be deleted or replaced', async () => {
  const { request } = platform();
  const { says } = createPerson();
  const sso = await makeSso({ settings: { defaultRole: 'admin' } });
  const { id, token, user } = sso.organization;
  const { token: admin } = await createSession(sso, says);
  expect((await request(`/v1/orgs/${id}/members/${user}`, { token, method: 'DELETE' })).status).toBe(204);
  const path = `/v1/orgs/${id}/saml/${sso.provider.id}`;

  expect((await request(path, { token: admin, method: 'DELETE' })).status).toBe(412);
  for (const body of [{ entityID: 'https://mistyped.test' }, { certificate: '' }]) {
    expect((await request(path, { token: admin, method: 'PATCH', body })).status).toBe(412);
  }
  expect((await request(`/v1/orgs/${id}`, { token: admin })).status).toBe(200);
});

test('rejects a response without a started sign-in, without parsing it', async () => {
  const sso = await makeSso();
  const { request } = await begin(sso);

  const responses = await Promise.all(['_unknown', request].map((id) => deliver(sso, 'no XML at all', id)));

  expect(responses.map(({ status }) => status)).toEqual([403, 400]);
});
