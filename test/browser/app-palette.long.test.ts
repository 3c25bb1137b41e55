import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePage } from '../support/content.ts';
import { platform, type TestOrganization } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;
let organization: TestOrganization;

beforeAll(async () => {
  browser = await openBrowser();
  organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Manage organizations, members and teams', 'Invite them.');
}, 120_000);

afterAll(() => browser?.close());

const home = (): string => `${platform().url}/app`;

test('the palette receives all keys that are pressed before its results are loaded', async () => {
  const { page } = await openSignedIn(browser, organization);
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*palette*.js', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(home());
  await page.getByRole('button', { name: 'Search' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('inbox');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('combobox').inputValue()).toBe('inbox');
  release();
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
});

const getSelected = (page: Page): Promise<string[]> =>
  page.getByRole('option', { selected: true }).locator('.grow').allTextContents();

/** Returns the names of the results that look different from the others. */
const getHighlighted = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('[role=option]')]
    .filter((option) => getComputedStyle(option).backgroundColor !== 'rgba(0, 0, 0, 0)')
    .map((option) => option.querySelector('.grow').textContent)`);

test('the palette lists screens whose names start with the text before pages, and highlights one result', async () => {
  const { page } = await openSignedIn(browser, organization);
  await page.goto(home());
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox').fill('Members');
  const screen = page.getByRole('option', { name: 'Members', exact: true });
  const other = page.getByRole('option', { name: /^Manage organizations/ });
  await other.waitFor();
  expect(await getSelected(page)).toEqual(['Members']);

  await other.hover();
  await expect.poll(() => getSelected(page)).toEqual(['Manage organizations, members and teams']);
  expect(await getHighlighted(page)).toEqual(['Manage organizations, members and teams']);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => getSelected(page)).toEqual(['Members']);
  expect(await getHighlighted(page)).toEqual(['Members']);
  await screen.waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
});
