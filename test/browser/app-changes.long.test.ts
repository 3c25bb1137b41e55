import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPixel } from '../content/files/file-client.ts';
import { getClient, insertPage, type SpaceClient, writePage } from '../content/space-client.ts';
import { json } from '../support/content.ts';
import { platform, type TestOrganization, type TestSpace } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';
import { openSignedIn } from './signed-in-page.ts';

const text = 'Read this page first.\n\nInstall the tool first.\n\n- one\n- two\n\nThen run it.\n';
let browser: Browser;
let organization: TestOrganization;
let space: TestSpace;
let client: SpaceClient;
let pageId: string;

beforeAll(async () => {
  [browser, organization] = await Promise.all([openBrowser(), platform().makeOrganization('Acme')]);
  space = await platform().makeSpace({ organization, title: 'Handbook' });
  client = getClient(platform(), space);
  [pageId = ''] = await client.change([insertPage('Install', { document: { markdown: text } })]);
}, 120_000);

afterAll(() => browser?.close());

const app = (path: string) => `${platform().url}/app/spaces/${space.id}${path}`;
const getText = async (branch?: string) => (await client.page(pageId, branch)).markdown;

/** Checks a screen in both color schemes and on a phone. */
async function checkScreen(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await takePicture(page, `${name}-${colorScheme}`);
  }
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await takePicture(page, `${name}-phone`);
  await page.setViewportSize(size);
}

async function suggest(page: Page, block: string, suggested: string): Promise<void> {
  const group = page.getByRole('group', { name: 'Changed', exact: true }).filter({ hasText: block });
  await group
    .getByRole('button', { name: /omment(s)? on this block$/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await group.getByRole('button', { name: 'Suggest a text' }).click();
  const field = page.getByLabel('Suggested text');
  await expect.poll(() => field.inputValue()).toContain(block);
  await expect.poll(() => page.locator(':focus').getAttribute('class')).toBe('input source');
  await field.fill(suggested);
  await checkScreen(page, 'app-suggestion-form');
  await page.getByRole('button', { name: 'Suggest', exact: true }).click();
  await field.waitFor({ state: 'detached' });
}

test('a reviewer suggests texts, and the author applies them one after another', async () => {
  const branch = await client.open();
  const proposed = text.replace('the tool', 'version 2 of the tool').replace('Then run', 'Now start');
  await client.change([writePage(pageId, proposed)], branch);
  const { page: ben, faults } = await openSignedIn(browser, organization, { name: 'ben', role: 'comment' });
  const address = app(`/change-requests/${branch}`);
  await ben.goto(address);
  await suggest(ben, 'Install version 2 of the tool first.', 'Install version **3** of the tool first.');
  await suggest(ben, 'Now start it.', 'Now start it with care.');
  await ben.getByText('Suggested text').nth(1).waitFor();
  expect(await ben.getByRole('button', { name: 'Apply suggestion' }).count()).toBe(0);

  const { page: ann } = await openSignedIn(browser, organization, { name: 'ann', role: 'edit' });
  await ann.goto(address);
  const apply = ann.getByRole('button', { name: 'Apply suggestion' });
  await apply.nth(1).waitFor();
  await checkScreen(ann, 'app-suggestions');
  await apply.first().click();
  await expect.poll(() => apply.count()).toBe(1);
  await apply.click();
  await expect.poll(() => apply.count()).toBe(0);
  await ann
    .getByRole('link', { name: /^Comments/ })
    .last()
    .click();
  await ann.getByText('Applied suggestion').nth(1).waitFor();
  const changed = text
    .replace('Install the', 'Install version **3** of the')
    .replace('Then run it.', 'Now start it with care.');
  expect(await getText(branch)).toBe(changed);
  await checkScreen(ann, 'app-applied-suggestions');

  // A suggestion for a block that has changed is refused with the reason.
  await ben.reload();
  await suggest(ben, 'Now start it with care.', 'Start it.');
  await client.change([writePage(pageId, changed.replace('with care', 'carefully'))], branch);
  await ann.reload();
  await apply.click();
  await ann.getByText('The block has changed since the suggestion was made').waitFor();
  expect(faults).toEqual([]);

  // If a reviewer requested changes, merging asks for confirmation and shows who requested them.
  const reviewer = await platform().makeUser({ organization: organization.id, role: 'review' });
  const reviews = `/v1/spaces/${space.id}/change-requests/${branch}/reviews`;
  await json(reviews, { token: reviewer.token, body: { status: 'changes-requested' } });
  const { page: cara } = await openSignedIn(browser, organization, { name: 'cara' });
  await cara.goto(address);
  await cara.getByText('Requested changes', { exact: true }).waitFor();
  await cara.getByRole('button', { name: 'Merge', exact: true }).click();
  await cara.getByText(/^Changes were requested by /).waitFor();
  await checkScreen(cara, 'app-merge-requested-changes');
  await cara.getByRole('button', { name: 'Merge anyway' }).click();
  await cara.getByText('Merged', { exact: true }).first().waitFor();
}, 240_000);

test('the history of a page shows its differences, its change requests and its former versions', async () => {
  const [guide = ''] = await client.change([insertPage('Guide', { document: { markdown: text } })]);
  const branch = await client.open();
  const changed = text.replace('the tool', 'version 3 of the tool').replace('Read this page first.\n\n', '');
  await client.change([writePage(guide, `${changed}\nRead this page first.\n\nA new block.\n`)], branch);
  expect((await client.merge(branch)).body.result).toBe('merge');
  await client.change([{ operation: 'insert_files', files: [createPixel('pixel.png')] }, insertPage('Other')]);
  const { page } = await openSignedIn(browser, organization, { role: 'edit' });
  await page.goto(app(`/content/page/${guide}`));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'History of this page' }).click();
  await page.getByRole('heading', { name: 'History of Guide', level: 1 }).waitFor();
  const rows = page.getByRole('button', { expanded: false });
  await rows.filter({ hasText: 'A change' }).click();
  await page.getByRole('group', { name: 'Changed', exact: true }).first().waitFor();
  await checkScreen(page, 'app-page-history');
  expect(await page.getByRole('heading', { name: 'Other' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Open this version' }).waitFor();
  await rows.filter({ hasText: 'Edited' }).click();
  await page.getByRole('link', { name: 'Open this version' }).nth(1).click();
  await page.getByText('This is an earlier version of the page.').waitFor();
  await page.getByText('Install the tool first.').waitFor();
  await checkScreen(page, 'app-page-version');
  await page.getByRole('link', { name: 'Open the current page' }).click();
  await page.getByText('Install version 3 of the tool first.').waitFor();

  // The history of the space links to the change request, and shows added images.
  await page.goto(app('/history'));
  await rows.filter({ hasText: 'Edited' }).first().click();
  await page.getByRole('img', { name: 'pixel.png' }).waitFor();
  await checkScreen(page, 'app-history-image');
  await rows.filter({ hasText: 'A change' }).first().click();
  await page.getByRole('link', { name: /^Open change request #/ }).click();
  await page.getByRole('heading', { name: 'A change', level: 1 }).waitFor();
}, 240_000);

test('a page that is missing in the newest draft can be edited in another change request', async () => {
  const { page } = await openSignedIn(browser, organization, { role: 'edit' });
  await page.goto(app(`/content/page/${pageId}`));
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Title').waitFor();
  const [added = ''] = await client.change([insertPage('Newer than the draft')]);
  await page.goto(app(`/content/page/${added}`));
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('heading', { name: /^This page is not in change request #/ }).waitFor();
  await checkScreen(page, 'app-missing-page');
  await page.getByRole('button', { name: 'Edit in a new change request' }).click();
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Newer than the draft');
}, 120_000);

test('the list shows closed change requests if none are open', async () => {
  const other = await platform().makeSpace({ organization });
  const changes = getClient(platform(), other);
  await changes.callJson(`/change-requests/${await changes.open()}`, { method: 'PATCH', body: { status: 'archived' } });
  const { page } = await openSignedIn(browser, organization, { role: 'edit' });
  await page.goto(`${platform().url}/app/spaces/${other.id}/change-requests`);
  await page.getByRole('link', { name: /A change/ }).waitFor();
  expect(await page.getByRole('link', { name: 'Archived', exact: true }).getAttribute('aria-current')).toBe('page');
}, 120_000);
