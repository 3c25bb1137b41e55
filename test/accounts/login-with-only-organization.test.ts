import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { type OwnPlatform, startOwnPlatform } from '../support/own-platform.ts';
import { makeSso } from '../support/sign-in.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server.remove());

const readLoginPage = async () => (await server.request('/login?to=/app/inbox')).text();

test('the sign-in page offers active providers only while there is one organization', async () => {
  const organization = { id: server.organization, token: server.token, title: 'Octavo' };
  const { provider } = await makeSso({ organization: { ...organization, user: '' } }, server);
  const path = `/v1/orgs/${server.organization}/saml/${provider.id}`;
  const setCertificate = (certificate: string) =>
    json(path, { token: server.token, method: 'PATCH', body: { certificate } }, server);
  const { certificate } = await json<{ certificate: string }>(path, { token: server.token }, server);
  expect(await readLoginPage()).toContain(`/sso/saml/${provider.id}/start?to=%2Fapp%2Finbox`);

  await setCertificate('');
  expect(await readLoginPage()).not.toContain('/sso/saml/');
  await setCertificate(certificate);
  expect(await readLoginPage()).toContain('/sso/saml/');

  await server.makeOrganization('Victim Inc');
  expect(await readLoginPage()).not.toContain('/sso/saml/');
});
