import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { Sso } from '../../support/sign-in.ts';
import { begin, createSession, makeSso } from '../../support/sign-in.ts';

const remove = ({ organization, provider, server }: Sso) =>
  server.request(`/v1/orgs/${organization.id}/saml/${provider.id}`, { token: organization.token, method: 'DELETE' });

test('deletes a provider with its identities, sessions and sign-ins, but not its members', async () => {
  const sso = await makeSso();
  const { id } = sso.provider;
  const { token } = await createSession(sso);
  await begin(sso);

  expect((await remove(sso)).status).toBe(204);

  expect((await remove(sso)).status).toBe(404);
  expect((await platform().request('/v1/user', { token })).status).toBe(401);
  expect(query('SELECT 1 FROM sso_identities WHERE provider = ?', id)).toEqual([]);
  expect(query('SELECT 1 FROM saml_requests WHERE provider = ?', id)).toEqual([]);
  expect(query('SELECT COUNT(*) AS n FROM members WHERE organization = ?', sso.organization.id)).toEqual([{ n: 2 }]);
  expect((await platform().request(`/sso/saml/${id}/start`)).status).toBe(404);
});

test('does not delete a provider or sessions of another organization', async () => {
  const [mine, theirs] = [await makeSso(), await makeSso()];
  const { token } = await createSession(theirs);

  expect((await remove({ ...mine, provider: theirs.provider })).status).toBe(404);
  expect((await platform().request('/v1/user', { token })).status).toBe(200);
});

test('returns 412 for the last active provider while SSO is enforced', async () => {
  const sso = await makeSso();
  const { organization, provider, server } = sso;
  const { token } = organization;
  const change = (path: string, body: object) => server.request(path, { token, method: 'PATCH', body });
  const setEnforcement = (isOn: boolean) => change(`/v1/orgs/${organization.id}`, { sso: isOn });
  const address = `/v1/orgs/${organization.id}/saml/${provider.id}`;
  expect((await setEnforcement(true)).status).toBe(200);

  expect((await remove(sso)).status).toBe(412);
  expect((await change(address, { certificate: '' })).status).toBe(412);
  expect((await change(address, { label: 'Renamed' })).status).toBe(200);
  expect(await (await server.request(address, { token })).json()).toMatchObject({ status: 'active', label: 'Renamed' });

  expect((await setEnforcement(false)).status).toBe(200);
  expect((await remove(sso)).status).toBe(204);
  expect((await setEnforcement(true)).status).toBe(412);
});
