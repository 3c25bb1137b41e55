import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of the settings of a site.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 240_000);

afterAll(() => browser?.close());

test('an admin creates a site, chooses its spaces, colors and readers, and publishes it', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { token } = organization;
  for (const title of ['Handbook', 'Changelog'])
    await makePage(await platform().makeSpace({ organization, title }), 'Start', `Text of ${title}.`);
  const { page: tab, faults } = await openSignedIn(browser, organization);
  await tab.goto(`${platform().url}/app/orgs/${organization.id}`);
  await tab.getByRole('link', { name: 'Sites' }).click();
  await tab.getByRole('button', { name: 'New site' }).click();
  await tab.getByLabel('Title').fill('Docs');
  await tab.getByRole('button', { name: 'Create site' }).click();
  await tab.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();

  for (const title of ['Handbook', 'Changelog']) {
    await tab.getByRole('button', { name: 'Add a space' }).click();
    await tab.getByLabel('Space', { exact: true }).selectOption(title);
    await tab.getByRole('button', { name: 'Add', exact: true }).click();
    await tab.getByRole('button', { name: `Actions for ${title}` }).waitFor();
  }
  await tab.getByRole('button', { name: 'Actions for Changelog' }).click();
  await tab.getByRole('menuitem', { name: 'Move up' }).click();
  await tab.locator('.rows > li:first-child').getByRole('link', { name: 'Changelog' }).waitFor();
  await tab.getByRole('button', { name: 'Actions for Changelog' }).click();
  await tab.getByRole('menuitem', { name: 'Make default' }).click();
  await tab.getByRole('listitem').filter({ hasText: 'Changelog' }).filter({ hasText: 'Default' }).waitFor();

  const color = tab.getByLabel('Primary color, light', { exact: true });
  await color.fill('#008000');
  const sample = "getComputedStyle(document.querySelector('.site-sample-button')).backgroundColor";
  await expect.poll(() => tab.evaluate(sample)).toBe('rgb(0, 128, 0)');
  await tab.getByLabel('Theme').selectOption('Bold');
  await tab.getByRole('button', { name: 'Save appearance' }).click();
  await tab.getByText('Appearance saved').waitFor();

  await tab.getByLabel('Readers').selectOption('Share link');
  await tab.getByRole('button', { name: 'Save', exact: true }).click();
  await tab.getByRole('button', { name: 'New share link' }).click();
  await tab.getByLabel('Name').fill('Testers');
  await tab.getByRole('button', { name: 'Create link' }).click();
  await tab.getByText('Testers').waitFor();
  await checkScreen(tab, 'site');
  expect(faults).toEqual([]);

  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Site published').waitFor();
  const path = `/v1/orgs/${organization.id}/sites`;
  const [site] = (await json<{ items: { id: string }[] }>(path, { token })).items;
  expect(await json(`${path}/${site?.id}/customization`, { token })).toMatchObject({
    styling: { primaryColor: { light: '#008000' }, theme: 'bold' },
  });
  const address = tab.getByRole('listitem').filter({ hasText: 'Testers' }).locator('.link-target');
  await address.waitFor();
  const reader = await browser.newPage();
  await reader.goto((await address.textContent()) ?? '');
  await reader.getByText('Text of Changelog.').waitFor();
  await reader.close();

  await tab.getByRole('button', { name: 'Unpublish' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
  await tab.getByText('Not published').waitFor();
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
}, 240_000);
