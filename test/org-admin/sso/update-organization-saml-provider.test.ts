import { expect, test } from 'vitest';
import { makeIdentity } from '../../support/certificate.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createHonestResponse, createResponse } from '../../support/saml-response.ts';
import type { Sso } from '../../support/sign-in.ts';
import { begin, createSession, deliver, finishSignIn, makeSso } from '../../support/sign-in.ts';

const update = ({ organization, provider, server }: Sso, body: object | undefined) =>
  server.request(`/v1/orgs/${organization.id}/saml/${provider.id}`, {
    token: organization.token,
    method: 'PATCH',
    body,
  });

test('changes only the fields in the request', async () => {
  const sso = await makeSso({ settings: { defaultRole: 'edit' } });

  const response = await update(sso, { label: 'Another' });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ...sso.provider, label: 'Another' });
  expect(await (await update(sso, { defaultRole: null })).json()).toEqual({
    ...sso.provider,
    label: 'Another',
    defaultRole: null,
  });
});

test.each([{}, undefined])('%j changes nothing and records no event', async (body) => {
  const sso = await makeSso();
  const readEvents = () =>
    query("SELECT 1 FROM outbox WHERE organization = ? AND type LIKE 'saml%'", sso.organization.id);
  const before = readEvents();

  expect(await (await update(sso, body)).json()).toEqual(sso.provider);
  expect(readEvents()).toEqual(before);
});

test.each([{ entityID: '' }, { certificate: '' }])('becomes pending again after the update %j', async (body) => {
  const sso = await makeSso();

  expect(await (await update(sso, body)).json()).toMatchObject({ status: 'pending', ...body });
  expect((await sso.server.request(`/sso/saml/${sso.provider.id}/start`)).status).toBe(404);
});

test.each([
  ['label', ''],
  ['certificate', 'x'],
  ['ssoURL', ''],
  ['defaultTeam', 'team_none'],
])('rejects an invalid %s and changes nothing', async (field, value) => {
  const sso = await makeSso();
  const { organization, provider } = sso;

  const response = await update(sso, { entityID: 'urn:changed', [field]: value });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { issues: [{ path: `body.${field}` }] } });
  expect(await json(`/v1/orgs/${organization.id}/saml/${provider.id}`, { token: organization.token })).toEqual(
    provider,
  );
});

test('does not change a provider of another organization', async () => {
  const [mine, theirs] = [await makeSso(), await makeSso()];
  const sso = { ...mine, provider: theirs.provider };

  expect((await update(sso, { label: 'Mine' })).status).toBe(404);
  expect((await update(sso, {})).status).toBe(404);
});

test('a new issuer makes former subjects unknown and ends their sessions', async () => {
  const sso = await makeSso();
  const { token } = await createSession(sso, { subject: 'subject-1' });
  const victim = await json<{ id: string }>('/v1/user', { token });

  await update(sso, { label: 'The same issuer', entityID: sso.issuer });
  expect((await platform().request('/v1/user', { token })).status).toBe(200);
  await update(sso, { entityID: 'urn:another' });
  const other = await createSession({ ...sso, issuer: 'urn:another' }, { subject: 'subject-1' });

  expect((await platform().request('/v1/user', { token })).status).toBe(401);
  expect((await json<{ id: string }>('/v1/user', { token: other.token })).id).not.toBe(victim.id);
});

test('a pending sign-in fails after its certificate is replaced', async () => {
  const sso = await makeSso();
  const { request, cookie } = await begin(sso);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request });
  const location = (await deliver(sso, createResponse(says, sso.identity), request)).headers.get('location') ?? '';
  const identity = makeIdentity();

  await update(sso, { certificate: identity.certificate });

  expect((await finishSignIn(sso, location, cookie)).status).toBe(403);
  expect((await createSession({ ...sso, identity })).organization).toBe(sso.organization.id);
  await expect(createSession(sso)).rejects.toThrow('acs answered 403');
});
