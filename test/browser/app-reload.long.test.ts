import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of screens whose data changes while they are open.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

async function openSpace() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const guide = await makePage(space, 'Guide', 'Text.\n');
  const { page } = await openSignedIn(browser, organization);
  return { organization, space, guide, page, address: `${platform().url}/app/spaces/${space.id}` };
}

test('the page tree shows the new pages of a merged change request', async () => {
  const { space, page, address } = await openSpace();
  const { id } = await makeChangeRequest(space, 'Add a page');
  await edit(space, [{ operation: 'insert_page', title: 'Second page', document: { markdown: '' } }], id);
  await page.goto(`${address}/change-requests/${id}`);
  const tree = page.getByRole('tree', { name: 'Pages' });
  await tree.getByText('Guide').waitFor();
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('button', { name: 'Merge changes' }).click();

  await tree.getByText('Second page').waitFor();
});

test('a conflict can be resolved again after another person has edited the change request', async () => {
  const { space, guide, page, address } = await openSpace();
  const { id } = await makeChangeRequest(space, 'Rename');
  await edit(space, [{ operation: 'update_page', page: guide, title: 'Proposed' }], id);
  await edit(space, [{ operation: 'update_page', page: guide, title: 'Live' }]);
  const path = `/v1/spaces/${space.id}/change-requests/${id}`;
  await json(`${path}/update`, { token: space.token, method: 'POST' });
  await page.goto(`${address}/change-requests/${id}?view=conflicts`);
  const keep = page.getByRole('region', { name: /^Title/ }).getByRole('button', { name: 'Keep this change request' });
  await keep.waitFor();
  await edit(space, [{ operation: 'insert_page', title: 'Another page', document: { markdown: '' } }], id);

  const reloaded = page.waitForResponse((response) => response.url().endsWith(id));
  await keep.click();
  expect((await reloaded).status()).toBe(200);
  await expect.poll(() => keep.isEnabled()).toBe(true);
  await keep.click();
  await expect.poll(() => keep.count()).toBe(0);
});

/** Creates a change request with a conflict in the text of each page. Returns its id. */
async function makeConflicts(space: TestSpace, pages: string[]): Promise<string> {
  const { id } = await makeChangeRequest(space, 'Rewrite');
  const rewrite = (markdown: string) =>
    pages.map((page) => ({ operation: 'update_page', page, document: { markdown } }));
  await edit(space, rewrite('Proposed.\n'), id);
  await edit(space, rewrite('Live.\n'));
  await json(`/v1/spaces/${space.id}/change-requests/${id}/update`, { token: space.token, method: 'POST' });
  return id;
}

test('keeps the choices in a conflict when another conflict is resolved', async () => {
  const { space, guide, page, address } = await openSpace();
  const second = await makePage(space, 'Second', 'Text.\n');
  const id = await makeConflicts(space, [guide, second]);
  await page.goto(`${address}/change-requests/${id}?view=conflicts`);
  const [first, other] = ['Guide', 'Second'].map((name) => page.getByRole('region', { name: `Text of ${name}` }));
  await other?.getByRole('radio', { name: 'Edit' }).check();
  await other?.getByLabel('Result').fill('Written by hand.');
  await first?.getByRole('radio', { name: 'Keep both' }).check();
  await first?.getByRole('button', { name: 'Save result' }).click();
  await expect.poll(() => first?.count()).toBe(0);

  await other?.getByRole('button', { name: 'Save result' }).click();
  await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
  const path = `/v1/spaces/${space.id}/change-requests/${id}/content/page/${second}`;
  const { markdown } = await json<{ markdown: string }>(path, { token: space.token });
  expect(markdown).toBe('Written by hand.\n');
});

test('shows why a result was not saved, and keeps it, after another person has edited another page', async () => {
  const { space, guide, page, address } = await openSpace();
  const id = await makeConflicts(space, [guide]);
  // Without live events, the app does not know the edit.
  await page.routeWebSocket(/./, () => {});
  await page.goto(`${address}/change-requests/${id}?view=conflicts`);
  await page.getByRole('radio', { name: 'Edit' }).check();
  await page.getByLabel('Result').fill('Written by hand.');
  await edit(space, [{ operation: 'insert_page', title: 'Another page', document: { markdown: '' } }], id);
  const isRead = page.waitForResponse((response) => response.url().includes(`${id}/content/page/${guide}`));
  await page.getByRole('button', { name: 'Save result' }).click();
  await (await isRead).finished();

  await page.getByRole('region', { name: 'Text of Guide' }).getByRole('alert').waitFor();
  expect(await page.getByLabel('Result').inputValue()).toBe('Written by hand.');
  await page.getByRole('button', { name: 'Save result' }).click();
  await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
});

test('the history shows more revisions on request, and keeps the opened ones open', async () => {
  const { space, guide, page, address } = await openSpace();
  for (let index = 1; index <= 51; index += 1)
    await edit(space, [{ operation: 'update_page', page: guide, document: { markdown: `Text ${index}.\n` } }]);
  await page.goto(`${address}/history`);
  const rows = page.getByRole('main').locator('.row-button');
  await rows.first().click();
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(51);
  expect(await rows.first().getAttribute('aria-expanded')).toBe('true');
});

test('the organization lists all its spaces, also those that the navigation omits', async () => {
  const { organization, page, address } = await openSpace();
  for (let index = 1; index <= 50; index += 1) await platform().makeSpace({ organization, title: `Space ${index}` });
  await page.goto(address);
  await page.getByRole('tree', { name: 'Pages' }).waitFor();
  await page.getByRole('button', { name: organization.title }).click();
  await page.getByRole('menuitem', { name: organization.title }).click();
  await expect.poll(() => page.locator('main .space-card').count()).toBe(51);
});

test('reads the page tree once while the user opens its pages', async () => {
  const { space, guide, page, address } = await openSpace();
  await makePage(space, 'Second', 'Other text.\n');
  const reads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/content/pages')) reads.push(request.url());
  });
  await page.goto(`${address}/content/page/${guide}`);
  const tree = page.getByRole('tree', { name: 'Pages' });
  const article = page.getByRole('article');
  await article.getByText('Text.').waitFor();
  await tree.getByText('Second').click();
  await article.getByText('Other text.').waitFor();
  await tree.getByText('Guide').click();
  await article.getByText('Text.', { exact: true }).waitFor();
  expect(reads).toHaveLength(1);
});

test('the page tree of a change request shows a title that the user has just written', async () => {
  const { space, guide, page, address } = await openSpace();
  const { id } = await makeChangeRequest(space, 'Rename');
  await page.goto(`${address}/change-requests/${id}/edit/${guide}`);
  const tree = page.getByRole('tree', { name: 'Pages' });
  await tree.getByText('Guide').waitFor();
  await page.getByLabel('Title', { exact: true }).fill('Handbook');
  await expect.poll(() => page.locator('.edit-status').textContent()).toBe('Saved');
  await page.getByRole('link', { name: 'Review' }).click();
  await tree.getByText('Handbook').waitFor();
});

test('a comment stays on the screen when the session ends and the page is reloaded by an edit', async () => {
  const { space, guide, page, address } = await openSpace();
  const connected = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
  await page.goto(`${address}/content/page/${guide}`);
  await connected;
  const field = page.getByLabel('Comment on this page');
  await field.fill('My comment');
  await page.context().clearCookies();
  const isRefused = page.waitForResponse((response) => response.status() === 401);
  await edit(space, [{ operation: 'update_page', page: guide, document: { markdown: 'Better text.\n' } }]);
  await (await isRefused).finished();
  await field.press('Control+Enter');

  await page.getByRole('alert').filter({ hasText: 'You are signed out.' }).waitFor();
  expect(await field.inputValue()).toBe('My comment');
});

test('keeps the typed text of an edited comment when the names of mentioned people load', async () => {
  const { organization, guide, page, address } = await openSpace();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**/members/${organization.user}`, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(`${address}/content/page/${guide}`);
  for (const [words, text] of [
    ['See', `See @${organization.user}.`],
    ['Ask', `Ask @${organization.user} first.`],
  ] as const) {
    await page.getByLabel('Comment on this page').fill(text);
    await page.getByLabel('Comment on this page').press('Control+Enter');
    await page
      .getByRole('article', { name: /^Comment by/ })
      .filter({ hasText: words })
      .waitFor();
  }
  const [shown, edited] = ['See', 'Ask'].map((words) => page.locator('.thread').filter({ hasText: words }));
  await shown?.getByText('@former member').waitFor();
  await edited?.getByRole('button', { name: 'Actions for this comment' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const field = page.getByLabel('Edit comment');
  await field.press('End');
  await field.pressSequentially(' Then write.');
  const typed = await field.inputValue();
  release();
  // The loaded name appears in the other comment at the same moment as in the form.
  await expect.poll(() => shown?.getByText('@former member').count()).toBe(0);

  expect(typed).toMatch(/ Then write\.$/);
  expect(await field.inputValue()).toBe(typed);
});
