import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('home and the palette list the pages that were opened last, and home the favorites', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const [install, usage] = [await makePage(space, 'Install', 'Install it.'), await makePage(space, 'Usage', 'Use it.')];
  const { page, faults } = await openSignedIn(browser, organization, { role: 'read' });
  const getSection = (title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });
  const openPage = async (id: string, text: string): Promise<void> => {
    const recorded = page.waitForResponse('**/v1/user/recents');
    await page.goto(`${platform().url}/app/spaces/${space.id}/content/page/${id}`);
    await page.getByText(text).waitFor();
    await recorded;
  };
  await openPage(usage, 'Use it.');
  await openPage(install, 'Install it.');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Add to favorites' }).click();
  await page.getByText('Added to favorites').waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  const options = page.getByRole('option');
  await expect
    .poll(async () => (await options.allTextContents()).slice(0, 2))
    .toEqual([...['InstallHandbook', 'UsageHandbook']]);
  await page.keyboard.press('Escape');

  await page.goto(`${platform().url}/app`);
  const links = getSection('Recently opened').getByRole('link');
  await expect.poll(() => links.locator('.strong').allTextContents()).toEqual(['Install', 'Usage']);
  await checkScreen(page, 'home-favorites');
  await getSection('Favorites').getByRole('link', { name: 'Install' }).click();
  await page.getByText('Install it.').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove from favorites' }).click();
  await page.getByText('Removed from favorites').waitFor();
  await page.goto(`${platform().url}/app`);
  await getSection('Recently opened').waitFor();
  expect(await getSection('Favorites').count()).toBe(0);
  expect(faults).toEqual([]);
}, 120_000);

test('a page that is opened again is recorded only after another page', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  for (const title of ['Install', 'Usage']) await makePage(space, title, `About: ${title}.`);
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/user/recents') && request.method() === 'POST') requests += 1;
  });
  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await page.getByText('About: Install.').waitFor();
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('About: Install.').waitFor();
  await page.getByRole('treeitem', { name: 'Usage' }).click();
  await page.getByText('About: Usage.').waitFor();

  await expect.poll(() => requests).toBe(2);
}, 120_000);
