import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { getSharedIdentity } from '../support/sign-in.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('an admin requires single sign-on, and chooses the team of new members', { timeout: 120_000 }, async () => {
  const organization = await platform().makeOrganization('Acme');
  const { token } = organization;
  const path = `/v1/orgs/${organization.id}`;
  const { page: bea } = await openSignedIn(browser, organization, { name: 'bea', role: 'edit' });
  const team = await json<{ id: string }>(`${path}/teams`, { token, body: { title: 'Writers' }, method: 'PUT' });
  const { page, faults } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/orgs/${organization.id}/saml`);
  const requireButton = page.getByRole('button', { name: 'Require single sign-on' });
  await expect.poll(() => requireButton.isDisabled()).toBe(true);

  const { certificate } = getSharedIdentity();
  const provider = await json<{ id: string }>(`${path}/saml`, {
    token,
    body: { label: 'Company', ssoURL: 'https://idp.test/sso', entityID: 'urn:idp.test', certificate },
  });
  await page.goto(`${platform().url}/app/orgs/${organization.id}/saml/${provider.id}`);
  await page.getByLabel('Team of new members').selectOption('Writers');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();
  expect(await json(`${path}/saml/${provider.id}`, { token })).toMatchObject({ defaultTeam: { id: team.id } });

  await page.getByRole('link', { name: 'Single sign-on' }).first().click();
  const dialog = page.getByRole('dialog');
  await page.route('**/members?**', async (route) => {
    const [url = ''] = route.request().url().split('?');
    const { items } = (await (await route.fetch({ url })).json()) as { items: object[] };
    const many = Array.from({ length: 200 }, (_, index) => ({ ...items.at(-1), id: `usr_${index}` }));
    await route.fulfill({ json: { count: 200, items: many, next: { page: 'next' } } });
  });
  await requireButton.click();
  await dialog.getByText('Only the first 1,000 members were checked. Others can lose access too.').waitFor();
  await page.unroute('**/members?**');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await requireButton.click();
  await dialog.getByText('All members except admins lose access at once').waitFor();
  await dialog.getByRole('listitem').filter({ hasText: /^bea/i }).waitFor();
  await checkScreen(page, 'require-sso');
  await dialog.getByRole('button', { name: 'Require single sign-on' }).click();
  await page.getByText('All members except admins must sign in through a provider.').waitFor();
  expect(await json(path, { token })).toMatchObject({ sso: true });

  await bea.goto(`${platform().url}/app`);
  await bea.getByRole('main').getByRole('link', { name: 'Acme' }).click();
  const signIn = bea.getByRole('link', { name: 'Continue with Company' });
  expect(await signIn.getAttribute('href')).toContain(`/sso/saml/${provider.id}/start`);
  await checkScreen(bea, 'sso-sign-in');
  await bea.goto(`${platform().url}/app`);
  await bea.getByRole('main').getByText('No spaces yet').waitFor();

  await page.getByRole('link', { name: 'Members' }).click();
  const members = await json<{ items: { user: { email: string } }[] }>(`${path}/members?search=bea`, { token });
  const email = members.items[0]?.user.email ?? '';
  await page.getByRole('button', { name: 'Invite' }).click();
  const addresses = page.getByLabel('Email addresses');
  await addresses.fill(`cleo-${organization.id.toLowerCase()}@example.test, ${email}`);
  await page.getByRole('button', { name: 'Send invitations' }).click();
  await page.getByText(`The organization requires single sign-on, which ${email} does not use yet.`).waitFor();
  await page.getByText('1 person was invited').waitFor();
  expect(await addresses.inputValue()).toBe(email);
  await page.keyboard.press('Escape');
  await page.getByRole('listitem').filter({ hasText: 'bea-' }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Use single sign-on' }).click();
  await dialog.getByRole('button', { name: 'Use single sign-on' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { items } = await json<{ items: object[] }>(`${path}/members?search=bea`, { token });
  expect(items).toMatchObject([{ sso: true }]);

  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await page.getByRole('button', { name: 'Stop requiring single sign-on' }).click();
  await dialog.getByRole('button', { name: 'Stop requiring it' }).click();
  await requireButton.waitFor();
  expect(await json(path, { token })).toMatchObject({ sso: false });
  expect(faults).toEqual([]);
});
