import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeSso } from '../../support/sign-in.ts';

test('returns a provider as created', async () => {
  const { organization, provider } = await makeSso();

  const path = `/v1/orgs/${organization.id}/saml/${provider.id}`;

  expect(await json(path, { token: organization.token })).toEqual(provider);
});

test('returns 404 for a provider of another organization', async () => {
  const { request } = platform();
  const [mine, theirs] = [await makeSso(), await makeSso()];
  const { id, token } = mine.organization;

  expect((await request(`/v1/orgs/${id}/saml/${theirs.provider.id}`, { token })).status).toBe(404);
  expect((await request(`/v1/orgs/${id}/saml/saml_none`, { token })).status).toBe(404);
  expect((await request(`/v1/orgs/${theirs.organization.id}/saml/${theirs.provider.id}`, { token })).status).toBe(404);
});
