import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
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

test('keeps the typed text of an edited comment when the names of mentioned people load', async () => {
  const { organization, guide, page, address } = await openSpace();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**/members/${organization.user}`, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(`${address}/content/page/${guide}`);
  await page.getByLabel('Comment on this page').fill(`Ask @${organization.user} first.`);
  await page.getByLabel('Comment on this page').press('Control+Enter');
  await page.getByRole('button', { name: 'Actions for this comment' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const field = page.getByLabel('Edit comment');
  await field.press('End');
  await field.pressSequentially(' Then write.');
  const typed = await field.inputValue();
  const loaded = page.waitForResponse(`**/members/${organization.user}`);
  release();
  await (await loaded).finished();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');

  expect(typed).toMatch(/ Then write\.$/);
  expect(await field.inputValue()).toBe(typed);
});
