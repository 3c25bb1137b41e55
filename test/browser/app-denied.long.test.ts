import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of actions that browsers deny: copying on pages without HTTPS, and opening tabs without a click.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

/** Creates a space with a page, and opens it in a browser. */
async function openSpace() {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization);
  const open = (path: string) => page.goto(`${platform().url}/app${path}`);
  return { page, organization, space, open };
}

test('without a clipboard, the text to copy is selected and a message says so', async () => {
  const { page, organization, space, open } = await openSpace();
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
  const message = page.getByText('The browser does not allow copying. The text is selected');
  await open('/profile');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Label').fill('Script');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('button', { name: 'Copy and close' }).click();
  await message.waitFor();
  const secret = await page.getByLabel('Token', { exact: true }).inputValue();
  expect(await page.evaluate('getSelection().toString()')).toBe(secret);

  const sites = `/orgs/${organization.id}/sites`;
  const { token } = organization;
  const body = { title: 'Docs', visibility: 'share-link', spaces: [space.id] };
  const site = await json<{ id: string }>(`/v1${sites}`, { token, body });
  await json(`/v1${sites}/${site.id}/publish`, { token, method: 'POST' });
  await json(`/v1${sites}/${site.id}/share-links`, { token, body: { name: 'Testers' } });
  await open(`${sites}/${site.id}`);
  await page.getByRole('button', { name: 'Copy Testers' }).click();
  await message.waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(await page.locator('.link-target').textContent());

  await open(`/spaces/${space.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await page.getByText('Copy the address from the address bar.').waitFor();
});

test('the tab of a preview or a PDF opens before its address is requested', async () => {
  const { page, organization, space, open } = await openSpace();
  const sites = `/orgs/${organization.id}/sites`;
  const { id } = await json<{ id: string }>(`/v1${sites}`, { token: space.token, body: { title: 'Docs' } });
  const target = `${platform().url}/login`;
  const expectOpened = async (pattern: string, button: Locator): Promise<void> => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(pattern, async (route) => {
      await isReleased;
      await route.fulfill({ json: { url: target } });
    });
    const [tab] = await Promise.all([page.context().waitForEvent('page'), button.click()]);
    expect(tab.url()).toBe('about:blank');
    release();
    await tab.waitForURL(target);
  };
  await open(`${sites}/${id}`);
  await expectOpened('**/publishing/preview', page.getByRole('button', { name: 'Preview' }));
  await open(`/spaces/${space.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await expectOpened('**/pdf', page.getByRole('menuitem', { name: 'PDF of the space' }));
});
