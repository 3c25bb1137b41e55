import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { serveIdentityProvider } from '../support/identity-provider.ts';
import { platform } from '../support/platform.ts';
import { makeSso, sharedIdentity } from '../support/sign-in.ts';
import { openBrowser } from './open-browser.ts';
import { picture } from './pictures.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('a new member signs in with a SAML identity provider in a browser, and uses the token', async () => {
  const server = platform();
  const organization = await server.makeOrganization('Analytical Engines');
  const { token: admin } = organization;
  const space = await server.makeSpace({ organization });
  const person = { id: randomUUID(), email: `ada-${randomUUID()}@example.test`, displayName: 'Ada Lovelace' };
  const issuer = 'urn:idp.test';
  let acsUrl = '';
  const ssoURL = await serveIdentityProvider({ issuer, identity: sharedIdentity(), person, acsUrl: () => acsUrl });
  const sso = await makeSso({ organization, issuer, settings: { ssoURL, defaultRole: 'read' } });
  acsUrl = sso.provider.service.acsURL;
  const { items } = await json<{ items: { startURL: string }[] }>(`/v1/orgs/${organization.id}/sso`, { token: admin });

  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(items[0]?.startURL ?? '');
  await page.getByRole('button', { name: 'Continue as Ada Lovelace' }).click();
  await page.getByRole('heading', { name: 'Signed in to Analytical Engines' }).waitFor();

  const token = (await page.locator('#token').textContent()) ?? '';
  await picture(page, 'saml-login');
  expect(await json('/v1/user', { token })).toMatchObject({ displayName: 'Ada Lovelace', email: person.email });
  expect(await json(`/v1/orgs/${organization.id}`, { token })).toMatchObject({ id: organization.id });
  expect(await json(`/v1/spaces/${space.id}`, { token })).toMatchObject({ id: space.id });
  expect((await server.request(`/v1/orgs/${organization.id}/saml`, { token })).status).toBe(403);
  expect(await page.context().cookies()).toEqual([]);

  await page.reload();
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  await page.close();
});
