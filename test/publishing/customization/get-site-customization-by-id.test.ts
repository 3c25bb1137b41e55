import type { SiteCustomization } from '@octavo/schema';
import { createDefaultCustomization } from '@octavo/schema';
import { expect, test } from 'vitest';
import { listFieldsMissingForAnyVersion } from '../../clients/official/versions.ts';
import { platform } from '../../support/platform.ts';
import { getSite } from '../customized-site.ts';

test('returns the defaults, without a timestamp, for a site that has no customization', async () => {
  const { call } = await getSite();

  const response = await call('/customization');
  const settings = (await response.json()) as SiteCustomization;

  expect(response.status).toBe(200);
  expect(settings).toEqual(createDefaultCustomization());
  expect(listFieldsMissingForAnyVersion('getSiteCustomizationById', { ...settings, favicon: { emoji: '🐙' } })).toEqual(
    [],
  );
});

test("a member without rights on the site's spaces can read but not change the customization", async () => {
  const { organization, call } = await getSite();
  const member = await platform().makeUser({ organization: organization.id, role: 'read' });

  expect((await call('/customization', { token: member.token })).status).toBe(200);
  expect((await call('/customization', { token: member.token, method: 'PUT', body: {} })).status).toBe(403);
});

test('returns 404 to users without access and for another organization', async () => {
  const [mine, theirs] = [await getSite(), await getSite()];
  const { request } = platform();

  expect((await mine.call('/customization', { token: theirs.organization.token })).status).toBe(404);
  const path = `/v1/orgs/${theirs.organization.id}/sites/${mine.id}/customization`;
  expect((await request(path, { token: theirs.organization.token })).status).toBe(404);
});
