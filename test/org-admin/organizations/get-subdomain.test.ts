import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const { makeOrganization, makeUser, request } = platform();

async function createNamedOrganization() {
  const organization = await makeOrganization();
  const hostname = `acme-${randomInt(2 ** 40)}`;
  await json(`/v1/orgs/${organization.id}`, { token: organization.token, method: 'PATCH', body: { hostname } });
  return { organization, hostname, path: `/v1/subdomains/${hostname}` };
}

test('returns the organization to its members, and whether it has a published site', async () => {
  const { organization, hostname, path } = await createNamedOrganization();
  const { token, id } = organization;
  const target = { type: 'organization', organization: id };

  expect(await json(path, { token })).toEqual({ object: 'subdomain', subdomain: hostname, target, isActive: false });
  await (await makeSite(organization, { visibility: 'share-link' })).publish();
  expect(await json(path, { token })).toMatchObject({ isActive: true });
});

test('returns the organization to other users only if it has a public site', async () => {
  const { organization, path } = await createNamedOrganization();
  const { token } = await makeUser();
  const requestStatus = async (at = path) => (await request(at, { token })).status;
  await (await makeSite(organization, { visibility: 'unlisted' })).publish();
  const site = await makeSite(organization);

  expect([await requestStatus(), await requestStatus('/v1/subdomains/nobody-has-this')]).toEqual([404, 404]);
  await site.publish();
  expect(await requestStatus()).toBe(200);
});
