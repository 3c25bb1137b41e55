import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { serveIdentityProvider } from '../support/identity-provider.ts';
import { platform } from '../support/platform.ts';
import { getSharedIdentity, makeSso } from '../support/sign-in.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('a new member signs in to the app with a SAML identity provider in a browser', async () => {
  const server = platform();
  const organization = await server.makeOrganization('Analytical Engines');
  const { token: admin } = organization;
  const person = { id: randomUUID(), email: `ada-${randomUUID()}@example.test`, displayName: 'Ada Lovelace' };
  const issuer = 'urn:idp.test';
  let acsUrl = '';
  const ssoURL = await serveIdentityProvider({ issuer, identity: getSharedIdentity(), person, acsUrl: () => acsUrl });
  const sso = await makeSso({ organization, issuer, settings: { ssoURL, defaultRole: 'read' } });
  acsUrl = sso.provider.service.acsURL;
  const { items } = await json<{ items: { startURL: string }[] }>(`/v1/orgs/${organization.id}/sso`, { token: admin });

  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(items[0]?.startURL ?? '');
  await page.getByRole('button', { name: 'Continue as Ada Lovelace' }).click();
  await page.getByRole('heading', { name: 'Analytical Engines' }).waitFor();
  await takePicture(page, 'saml-login');

  expect(new URL(page.url()).pathname).toBe(`/app/orgs/${organization.id}`);
  expect(await page.context().cookies()).toEqual([
    expect.objectContaining({ name: 'octavo_session', httpOnly: true, sameSite: 'Lax' }),
  ]);
  await page.goto(`${server.url}/app/profile`);
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
  await page.close();
});
