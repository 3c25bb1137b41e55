import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, makeChangeRequest, makePage } from '../support/content.ts';
import { platform, type TestOrganization, type TestSpace } from '../support/platform.ts';
import { checkScreen, getViolations } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;
let organization: TestOrganization;
let space: TestSpace;
let pages: { guide: string; install: string; long: string };
/** The id of a change request with a conflict. */
let conflicting: string;

const longTitle = 'A long title of a page or a change request, which does not fit in one line on a phone';

const guide = `## First steps

Read [Install](install.md) and \`code\`.

\`\`\`js
const answer = 42;
\`\`\`

{% hint style="info" %}
A hint.
{% endhint %}

## Formulas

$$E = mc^2$$

[Nowhere](missing.md)
`;

beforeAll(async () => {
  browser = await openBrowser();
  organization = await platform().makeOrganization('Acme');
  space = await platform().makeSpace({ organization, title: 'Handbook' });
  const install = await makePage(space, 'Install', 'Install it.');
  pages = { install, guide: await makePage(space, 'Guide', guide), long: await makePage(space, longTitle, 'Long.') };
  await edit(space, [{ operation: 'insert_page', title: 'Inner', document: { markdown: 'In.' }, into: pages.guide }]);
  conflicting = (await makeChangeRequest(space, longTitle)).id;
  const write = (markdown: string) => ({ operation: 'update_page', page: pages.long, document: { markdown } });
  await edit(space, [write('Long, in the change request.')], conflicting);
  await edit(space, [write('Long, in the live content.')]);
  const old = await makePage(space, 'Old page', 'Old.');
  await edit(space, [{ operation: 'delete_page', page: old }]);
}, 120_000);

afterAll(() => browser?.close());

const app = (path: string): string => `${platform().url}/app${path}`;

const screens: [name: string, heading: string, getPath: () => string][] = [
  ['home', 'Home', () => ''],
  ['organization', 'Acme', () => `/orgs/${organization.id}`],
  ['sites', 'Sites', () => `/orgs/${organization.id}/sites`],
  ['members', 'Members', () => `/orgs/${organization.id}/members`],
  ['sso', 'Single sign-on', () => `/orgs/${organization.id}/saml`],
  ['space', 'Install', () => `/spaces/${space.id}`],
  ['page', 'Guide', () => `/spaces/${space.id}/content/page/${pages.guide}`],
  ['history', 'History', () => `/spaces/${space.id}/history`],
  ['trash', 'Trash', () => `/spaces/${space.id}/trash`],
  ['files', 'Files', () => `/spaces/${space.id}/files`],
  ['links', 'Broken links', () => `/spaces/${space.id}/links`],
  ['import', 'Import', () => `/spaces/${space.id}/import`],
  ['comments', 'Comments', () => `/spaces/${space.id}/comments`],
  ['change-requests', 'Change requests', () => `/spaces/${space.id}/change-requests`],
  ['change-request', longTitle, () => `/spaces/${space.id}/change-requests/${conflicting}`],
  ['conflicts', longTitle, () => `/spaces/${space.id}/change-requests/${conflicting}?view=conflicts`],
  ['long-page', longTitle, () => `/spaces/${space.id}/content/page/${pages.long}`],
  ['inbox', 'Inbox', () => '/inbox'],
  ['profile', 'Profile', () => '/profile'],
  ['missing', 'Page not found', () => '/nothing'],
];

test('each screen is accessible, light and dark, obeys the policy and fits a phone', async () => {
  const { page, faults } = await openSignedIn(browser, organization);
  for (const [name, heading, getPath] of screens) {
    await page.goto(app(getPath()));
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await checkScreen(page, name);
  }
  expect(faults).toEqual([]);
}, 240_000);

test('pages are drawn with their links, code and formulas, and links stay in the app', async () => {
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  await page.goto(app(`/spaces/${space.id}/content/page/${pages.guide}`));
  await page.locator('article .t-keyword').first().waitFor();

  expect(await page.locator('article math').count()).toBe(1);
  expect(await page.locator('article .hint').count()).toBe(1);
  await page.evaluate('window.isSameDocument = true');
  await page.locator('article').getByRole('link', { name: 'Install' }).click();
  await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
  expect(await page.evaluate('window.isSameDocument')).toBe(true);
  await page.goBack();
  await page.getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
});

test('the page tree and the search are used by keyboard', async () => {
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  await page.goto(app(`/spaces/${space.id}`));
  await page.getByRole('treeitem', { name: 'Install' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: 'Inner' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Inner', level: 1 }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Inner');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Guide');
  await page.getByRole('option', { name: /Guide/ }).first().waitFor();
  expect(await getViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('install it');
  const option = page.getByRole('option', { name: 'Install it.' });
  await expect.poll(() => option.textContent(), { timeout: 30_000 }).toBe('InstallInstall it.');
  await page.keyboard.press('Escape');
  await page.getByRole('combobox').waitFor({ state: 'detached' });
});

test('Enter in the search waits for the results of the typed text', async () => {
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  await page.goto(app(`/spaces/${space.id}/content/page/${pages.install}`));
  await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Inst');
  await page
    .getByRole('option', { name: /Install/ })
    .first()
    .waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Guide');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Guide', level: 1 }).waitFor();

  // No title contains these words, so the first result is a text.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('install it');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
});

const manyPages = 10_000;

/** A tree of 100 groups with 100 pages each, as the API returns it. */
const createTree = (): string => {
  const createPage = (id: string, inside: object[]) => ({
    ...{ id, title: `Page ${id}`, type: 'document' },
    pages: inside,
  });
  const groups = Array.from({ length: 100 }, (_, group) =>
    createPage(
      `pg_${group}`,
      Array.from({ length: 99 }, (_, index) => createPage(`pg_${group}_${index}`, [])),
    ),
  );
  return JSON.stringify({ pages: groups });
};

test(`a tree of ${manyPages} pages draws only the visible rows`, async () => {
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  await page.route('**/content/pages*', (route) =>
    route.fulfill({ body: createTree(), contentType: 'application/json' }),
  );
  await page.goto(app(`/spaces/${space.id}/history`));
  const rows = page.getByRole('treeitem');
  await rows.first().waitFor();
  const first = page.getByRole('treeitem', { name: 'Page pg_0', exact: true });
  await first.focus();
  for (let index = 0; index < 30; index += 1) {
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
  }
  expect(await rows.count()).toBeLessThan(100);
  await page.keyboard.press('End');
  await page.getByRole('treeitem', { name: 'Page pg_99', exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Page pg_99');
  expect(await rows.count()).toBeLessThan(100);
});

test('without a session, the app opens the sign-in page and returns after it', async () => {
  const page = await browser.newPage();
  await page.goto(app('/profile'));

  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/login?to=%2Fapp%2Fprofile');
  await page.close();
});
