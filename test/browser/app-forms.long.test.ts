import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPixel } from '../content/files/file-client.ts';
import { edit, json, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of forms whose request fails, and of input that changes while a request runs.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

/** Holds the requests with a method that match a pattern, until the returned function is called. */
async function holdRequests(page: Page, method: string, pattern: string): Promise<() => void> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    if (route.request().method() === method) await isReleased;
    await route.fallback();
  });
  return release;
}

/** Lets the first request with a method that matches a pattern fail. */
async function failOnce(page: Page, method: string, pattern: string): Promise<void> {
  let isFailed = false;
  await page.route(pattern, (route) => {
    if (isFailed || route.request().method() !== method) return route.fallback();
    isFailed = true;
    return route.abort();
  });
}

const unreachable = 'The server cannot be reached.';

const countItems = async (list: string, token: string): Promise<number> =>
  (await json<{ items: object[] }>(`/v1${list}`, { token })).items.length;

const countDrafts = ({ id, token }: TestSpace): Promise<number> =>
  countItems(`/spaces/${id}/change-requests?status=draft`, token);

async function makeSpace() {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  return { organization, space };
}

test('a failed import of a website shows the error and keeps the address', async () => {
  const { organization, space } = await makeSpace();
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/import`);
  await failOnce(page, 'POST', '**/content/import');
  const address = page.getByLabel('Address');
  await address.fill('https://docs.example.com/');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText(unreachable).waitFor();

  expect(await address.inputValue()).toBe('https://docs.example.com/');
});

test('a folder that is too large is rejected before its files are read', async () => {
  const { organization, space } = await makeSpace();
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'film.mp4'), '');
  await truncate(path.join(folder, 'film.mp4'), 100_000_001);
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/import`);
  await page.evaluate('File.prototype.arrayBuffer = () => Promise.reject(new Error("A file was read."))');
  await page.getByLabel('Choose a folder').and(page.locator('input')).setInputFiles(folder);

  await page.getByText('The files exceed 100 MB in total.').waitFor();
});

const buffer = Buffer.from(createPixel('').base64 ?? '', 'base64');

const upload = (page: Page, label: string, name: string): Promise<void> =>
  page.getByLabel(`Upload: ${label}`).and(page.locator('input')).setInputFiles({ name, mimeType: 'image/png', buffer });

test('changes of a form during uploads are kept, and so is each upload', async () => {
  const organization = await platform().makeOrganization('Acme');
  const sites = `/orgs/${organization.id}/sites`;
  const site = await json<{ id: string }>(`/v1${sites}`, { token: organization.token, body: { title: 'Docs' } });
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app${sites}/${site.id}`);
  await page.getByLabel('Theme').waitFor();
  const releaseLogos = await holdRequests(page, 'PUT', '**/*');
  await upload(page, 'Logo, light', 'light.png');
  await upload(page, 'Logo, dark', 'dark.png');
  await page.getByLabel('Theme').selectOption('Bold');
  releaseLogos();
  await page.getByText('light.png', { exact: true }).waitFor();
  await page.getByText('dark.png', { exact: true }).waitFor();
  expect(await page.getByLabel('Theme').inputValue()).toBe('bold');

  await page.goto(`${platform().url}/app/profile`);
  await page.getByLabel('Name').waitFor();
  const releasePhoto = await holdRequests(page, 'PUT', '**/*');
  await upload(page, 'Photo', 'me.png');
  await page.getByLabel('Name').fill('Ada Lovelace');
  releasePhoto();
  await page.getByText('me.png', { exact: true }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
});

test('a change that fails and is repeated creates one change request', async () => {
  const { organization, space } = await makeSpace();
  const install = await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/content/page/${install}`);
  await failOnce(page, 'POST', '**/change-requests/*/content?*');
  await page.getByRole('button', { name: 'New page' }).click();
  await page.getByLabel('Title').fill('Usage');
  const create = page.getByRole('button', { name: 'Create page' });
  await create.click();
  await page.getByText(unreachable).waitFor();
  await create.click();
  await page.waitForURL('**/edit/*');

  expect(await countDrafts(space)).toBe(1);
});

test('a site that is created but not published is published by the next attempt', async () => {
  const { organization, space } = await makeSpace();
  await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await failOnce(page, 'POST', '**/sites/*/publish');
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText(unreachable).waitFor();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByRole('button', { name: 'Unpublish Handbook' }).waitFor();

  expect(await countItems(`/orgs/${organization.id}/sites`, organization.token)).toBe(1);
});

test('text that is typed while a comment is being posted is kept', async () => {
  const { organization, space } = await makeSpace();
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/comments`);
  const field = page.getByRole('textbox', { name: 'Comment' });
  const release = await holdRequests(page, 'POST', '**/comments');
  await field.fill('First.');
  await field.press('Control+Enter');
  await field.fill('First. Second.');
  release();
  await page.getByRole('article').getByText('First.').waitFor();
  const submit = page.getByRole('button', { name: 'Comment', exact: true });
  await expect.poll(() => submit.isEnabled()).toBe(true);
  expect(await field.inputValue()).toBe('First. Second.');

  await submit.click();
  await expect.poll(() => field.inputValue()).toBe('');
});

test('editing a comment keeps the mentions of two members with the same name', async () => {
  const { organization, space } = await makeSpace();
  const invite = () => platform().makeUser({ organization: organization.id, role: 'edit', displayName: 'Ann' });
  const [{ user: first }, { user: second }] = [await invite(), await invite()];
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/comments`);
  const field = page.getByRole('textbox', { name: 'Comment' });
  await field.waitFor();
  const path = `/v1/spaces/${space.id}/comments`;
  // Only the author of a comment can edit it.
  await field.fill(`@${first} and @${second}`);
  await field.press('Control+Enter');
  await page.getByRole('button', { name: 'Actions for this comment' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edited = page.getByRole('textbox', { name: 'Edit comment' });
  await expect.poll(() => edited.inputValue()).toBe('@Ann and @Ann');
  await edited.press('Control+Home');
  await page.keyboard.type('Ask ');
  await edited.press('Control+Enter');
  await edited.waitFor({ state: 'detached' });

  const { items } = await json<{ items: object[] }>(`${path}?format=markdown`, { token: space.token });
  expect(items).toMatchObject([{ body: { markdown: `Ask @${first} and @${second}` } }]);
});

/** Presses Enter in the focused field. Returns whether the app left the key to the browser. */
const pressEnter = (page: Page, isComposing: boolean): Promise<boolean> =>
  page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', isComposing: ${isComposing}, bubbles: true, cancelable: true }))`);

test('Enter that completes a word of an input method chooses neither a search result nor a member', async () => {
  const { organization, space } = await makeSpace();
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/comments`);
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.click();
  await page.keyboard.type('@ada');
  await page.getByRole('option', { name: /^ada/i }).waitFor();
  expect(await pressEnter(page, true)).toBe(true);
  expect(await comment.inputValue()).toBe('@ada');
  expect(await pressEnter(page, false)).toBe(false);
  await expect.poll(() => comment.inputValue()).toMatch(/^@ada-.* $/i);

  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox').fill('Inbox');
  await page.getByRole('option', { name: 'Inbox' }).waitFor();
  expect(await pressEnter(page, true)).toBe(true);
  expect(await pressEnter(page, false)).toBe(false);
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
});

test('a double click on "Restore" creates one change request', async () => {
  const { organization, space } = await makeSpace();
  const old = await makePage(space, 'Old page', 'Old.');
  await edit(space, [{ operation: 'delete_page', page: old }]);
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/trash`);
  const release = await holdRequests(page, 'POST', '**/change-requests');
  await page.getByRole('button', { name: 'Restore Old page' }).dblclick();
  release();
  await page.getByRole('heading', { name: 'Restore Old page', level: 1 }).waitFor();

  expect(await countDrafts(space)).toBe(1);
});
