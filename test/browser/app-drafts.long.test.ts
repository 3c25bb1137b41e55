import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of opening change requests from their screen, the editor and the home screen, and of starting a new space.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('opens any page of a change request from its screen, and creates a page in it', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  await makePage(space, 'Guide');
  const notes = await makePage(space, 'Notes');
  const { id } = await makeChangeRequest(space);
  const { page: tab, faults } = await openSignedIn(browser, organization);
  const address = `${platform().url}/app/spaces/${space.id}/change-requests/${id}`;

  await tab.goto(address);
  await tab.getByRole('button', { name: 'Edit a page' }).click();
  await tab.getByLabel('Search pages').fill('note');
  await tab.getByRole('dialog').getByRole('link', { name: 'Notes' }).click();
  await tab.waitForURL(`**/change-requests/${id}/edit/${notes}`);

  await tab.goto(address);
  await tab.getByRole('button', { name: 'Edit a page' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'New page' }).click();
  await tab.getByLabel('Title').fill('Added');
  await tab.getByRole('button', { name: 'Create page' }).click();
  await tab.waitForURL(`**/change-requests/${id}/edit/*`);
  await tab.getByRole('button', { name: 'More actions' }).click();
  await tab.getByRole('menuitem', { name: 'Delete page' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await tab.waitForURL(address);
  await tab.getByText('No changes yet').waitFor();
  expect(faults).toEqual([]);
});

test('the editor names the change request and opens the page in another one', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const page = await makePage(space, 'Guide');
  const { page: tab, faults } = await openSignedIn(browser, organization);
  await tab.goto(`${platform().url}/app/spaces/${space.id}/change-requests`);
  await tab.getByRole('button', { name: 'New change request' }).click();
  await tab.getByLabel('Title').fill('Restore Notes');
  await tab.getByRole('button', { name: 'Create', exact: true }).click();
  await tab.getByRole('heading', { name: 'Restore Notes', level: 1 }).waitFor();

  await tab.goto(`${platform().url}/app/spaces/${space.id}/content/page/${page}`);
  await tab.getByRole('button', { name: 'Edit', exact: true }).click();
  await tab.getByRole('main').getByRole('link', { name: '#1 Restore Notes' }).waitFor();
  await tab.getByText('Write something').or(tab.locator('[data-placeholder*="/"]')).first().waitFor();
  await tab.getByRole('button', { name: 'Choose another change request' }).click();
  await tab.getByRole('menuitem', { name: 'New change request' }).click();
  await tab.getByText('Saved in the change request #2').waitFor();
  await tab.getByRole('button', { name: 'Choose another change request' }).click();
  await tab.getByRole('menuitemradio', { name: '#1 Restore Notes' }).click();
  await tab.getByRole('main').getByRole('link', { name: '#1 Restore Notes' }).waitFor();

  // The list opens the tab of the drafts, because there are no open change requests.
  await tab.goto(`${platform().url}/app/spaces/${space.id}/change-requests`);
  await tab.getByRole('link', { name: /^Restore Notes/ }).waitFor();
  expect(await tab.locator('.view-tabs [aria-current=page]').textContent()).toContain('Draft');
  expect(faults).toEqual([]);
});

test('a double click creates one change request for a page that the chosen one does not have', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const { id } = await makeChangeRequest(space);
  const page = await makePage(space, 'Newer');
  const { page: tab } = await openSignedIn(browser, organization);
  const created: string[] = [];
  tab.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/change-requests')) created.push(request.url());
  });
  await tab.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}/edit/${page}`);
  await tab.getByRole('button', { name: 'Edit in a new change request' }).dblclick();
  await tab.getByRole('textbox', { name: 'Text of the page' }).waitFor();
  expect(created).toHaveLength(1);
});

const fillStorage = `
  const store = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    if (key.startsWith('octavo-draft:')) throw new DOMException('', 'QuotaExceededError');
    store.call(this, key, value);
  };`;

test('Back and Forward ask before they leave an editor whose text is stored nowhere', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'Guide');
  const { id } = await makeChangeRequest(space);
  const { page: tab } = await openSignedIn(browser, organization);
  const questions: string[] = [];
  let isAccepted = false;
  tab.on('dialog', (dialog) => {
    questions.push(dialog.message());
    void (isAccepted ? dialog.accept() : dialog.dismiss());
  });
  await tab.addInitScript(fillStorage);
  const address = `${platform().url}/app/spaces/${space.id}/change-requests/${id}`;
  const text = tab.getByRole('textbox', { name: 'Text of the page' });
  await tab.goto(address);
  const views = tab.getByRole('navigation', { name: 'Change request' });
  await views.getByRole('link', { name: 'Comments' }).click();
  await views.getByRole('link', { name: 'Changes' }).click();
  await tab.getByRole('button', { name: 'Edit a page' }).click();
  await tab.getByRole('dialog').getByRole('link', { name: 'Guide' }).click();
  await text.click();
  await tab.goBack();
  await tab.getByRole('button', { name: 'Edit a page' }).waitFor();
  await tab.goForward();
  await text.click();
  expect(questions).toEqual([]);

  await tab.context().setOffline(true);
  await tab.keyboard.type('Unsaved words');
  const question = expect.stringContaining('Leave this page and lose them?');
  for (const [index, steps] of [-1, -2].entries()) {
    await tab.evaluate(`history.go(${steps})`);
    await expect.poll(() => questions).toEqual(Array(index + 1).fill(question));
    await tab.waitForURL(`${address}/edit/${page}`);
    expect(await text.textContent()).toContain('Unsaved words');
  }

  isAccepted = true;
  await tab.goBack();
  await tab.getByRole('button', { name: 'Edit a page' }).waitFor();
  expect(tab.url()).toBe(`${address}?view=changes`);
  expect(questions).toHaveLength(3);
});

test('creates a space at home and writes its first page', async () => {
  const organization = await platform().makeOrganization();
  const { page: tab, faults } = await openSignedIn(browser, organization);
  await tab.goto(`${platform().url}/app`);
  await tab.getByRole('button', { name: 'New space' }).click();
  await tab.getByLabel('Title').fill('Handbook');
  await tab.getByRole('button', { name: 'Create space' }).click();
  await tab.getByRole('button', { name: 'Write the first page' }).click();
  await tab.getByLabel('Title').fill('Welcome');
  await tab.getByRole('button', { name: 'Create page' }).click();
  const text = tab.getByRole('textbox', { name: 'Text of the page' });
  await text.waitFor();
  expect(await text.getAttribute('aria-placeholder')).toContain('type /');
  await text.click();
  await tab.keyboard.type('Hello');
  expect(await text.getAttribute('aria-placeholder')).toBeNull();

  await tab.locator('.edit-status').getByText('Saved', { exact: true }).waitFor();

  // The live content has no pages yet, so the space links to the draft.
  await tab.getByRole('link', { name: 'Handbook', exact: true }).first().click();
  await tab.getByRole('link', { name: 'Open change request #1' }).click();
  await tab.getByRole('treeitem', { name: 'Welcome' }).waitFor();
  expect(faults).toEqual([]);
});

test('home lists change requests that wait for a review by the user', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const { token } = space;
  const { page: tab } = await openSignedIn(browser, organization);
  const { id } = await makeChangeRequest(space, 'Name the version');
  const path = `/v1/orgs/${organization.id}/members`;
  const { items } = await json<{ items: { id: string; user: { email: string } }[] }>(path, { token });
  const reviewer = items.find(({ user }) => user.email.startsWith('ada-'))?.id;
  const requests = `/v1/spaces/${space.id}/change-requests/${id}/requested-reviewers`;
  await json(requests, { token, body: { users: [reviewer] } });
  await tab.goto(`${platform().url}/app`);
  await tab.getByRole('heading', { name: 'Waiting for my review' }).waitFor();
  await tab.getByRole('link', { name: /^Name the version/ }).click();
  await tab.getByRole('heading', { name: 'Name the version', level: 1 }).waitFor();
});
