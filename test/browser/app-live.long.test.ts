import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of changes by others that the app shows while it is open, and of two people in one change request.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

async function makeSpaceWithPage(markdown: string) {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  return { organization, space, page: await makePage(space, 'Guide', markdown) };
}

/** Opens a path of the app, and waits until its live connection is open. */
async function openLive(tab: Page, path: string): Promise<void> {
  const connected = tab.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
  await tab.goto(`${platform().url}/app${path}`);
  await connected;
}

const getText = (tab: Page) => tab.getByRole('textbox', { name: 'Text of the page' });

const postComment = ({ id, token }: TestSpace, path: string, markdown: string) =>
  json(`/v1/spaces/${id}${path}/comments`, { token, body: { body: { markdown } } });

test('shows changes by others in the tree, the page, its comments and the inbox', async () => {
  const { organization, space, page } = await makeSpaceWithPage('Former words.');
  const { page: tab, faults } = await openSignedIn(browser, organization);
  const changeRequest = await makeChangeRequest(space, 'Better words');
  const { id: user } = await tab.evaluate(async () => {
    const response = await fetch('/v1/user', { headers: { 'octavo-app': '1' } });
    return (await response.json()) as { id: string };
  });
  await openLive(tab, `/spaces/${space.id}/content/page/${page}`);
  await tab.getByText('Former words.').waitFor();

  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Better words.' } }]);
  await tab.getByText('Better words.').waitFor();
  await makePage(space, 'Added page');
  await tab.getByRole('treeitem', { name: 'Added page' }).waitFor();
  await json(`/v1/spaces/${space.id}/comments`, {
    token: space.token,
    body: { page, body: { markdown: 'A question' } },
  });
  await tab.getByText('A question').waitFor();
  const requested = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/requested-reviewers`;
  await json(requested, { token: space.token, body: { users: [user] } });
  await tab.getByRole('link', { name: /Inbox 1 unread/ }).waitFor();
  expect(faults).toEqual([]);
});

test('shows changes by others in a change request, and keeps a comment that is being written', async () => {
  const { organization, space, page } = await makeSpaceWithPage('Words.');
  const changeRequest = (await makeChangeRequest(space, 'Better words')).id;
  const { page: tab, faults } = await openSignedIn(browser, organization);
  const path = `/change-requests/${changeRequest}`;
  await openLive(tab, `/spaces/${space.id}${path}`);
  await tab.getByText('No changes yet').waitFor();
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Better words.' } }], changeRequest);
  await tab.getByText('Better words.').waitFor();

  await openLive(tab, `/spaces/${space.id}${path}?view=comments`);
  const field = tab.getByRole('main').getByRole('textbox').last();
  await field.fill('My draft');
  await postComment(space, path, 'A question');
  await tab.getByText('A question').waitFor();
  expect(await field.inputValue()).toBe('My draft');
  await json(`/v1/spaces/${space.id}${path}/merge`, { token: space.token, body: {} });
  await tab.getByText('Merged').first().waitFor();
  expect(faults).toEqual([]);
});

test('shows two editors to each other, and takes over their changes without moving the cursor', {
  timeout: 240_000,
}, async () => {
  const { organization, space, page } = await makeSpaceWithPage('One here.\n\nTwo\n\n- Three\n- Four\n');
  const changeRequest = (await makeChangeRequest(space, 'Together')).id;
  const path = `/spaces/${space.id}/change-requests/${changeRequest}/edit/${page}`;
  const people = [
    await openSignedIn(browser, organization, { name: 'ada' }),
    await openSignedIn(browser, organization, { name: 'bob' }),
  ] as const;
  const [ada, bob] = [people[0].page, people[1].page];
  await openLive(ada, path);
  await openLive(bob, path);

  await getText(ada).getByText('One').click();
  await getText(bob).getByText('Three').click();
  await bob.keyboard.press('End');
  await ada
    .locator('.edit-others')
    .getByText(/^bob.* edits this page$/)
    .waitFor();
  await expect.poll(() => ada.locator('[data-editors]').textContent(), { timeout: 10_000 }).toContain('Three');
  await expect.poll(() => bob.locator('[data-editors]').textContent(), { timeout: 10_000 }).toBe('One here.');
  await ada.keyboard.press('Home');

  for (const [index, letter] of [...'abcdefghij'].entries()) {
    await ada.keyboard.type(letter);
    await bob.keyboard.type(String(index));
  }
  for (const tab of [ada, bob]) {
    await expect.poll(() => getText(tab).textContent(), { timeout: 30_000 }).toContain('abcdefghijOne here.');
    await expect.poll(() => getText(tab).textContent(), { timeout: 30_000 }).toContain('Three0123456789');
  }
  await ada.keyboard.type('klm');
  await bob.keyboard.press('Enter');
  await bob.keyboard.type('Five');
  await expect.poll(() => getText(bob).textContent(), { timeout: 30_000 }).toContain('abcdefghijklmOne here.');
  await expect.poll(() => getText(ada).textContent(), { timeout: 30_000 }).toContain('Five');

  await bob.goto(`${platform().url}/app/spaces/${space.id}`);
  await expect.poll(() => ada.locator('.edit-others li').count(), { timeout: 10_000 }).toBe(0);
  const { token } = space;
  const read = () =>
    json<{ markdown: string }>(`/v1/spaces/${space.id}/change-requests/${changeRequest}/content/page/${page}`, {
      token,
    });
  await expect
    .poll(async () => (await read()).markdown, { timeout: 20_000 })
    .toBe('abcdefghijklmOne here.\n\nTwo\n\n- Three0123456789\n- Five\n- Four\n');
  expect([...people[0].faults, ...people[1].faults].filter((fault) => !fault.includes('409'))).toEqual([]);
});

test('reconnects after a loss of the network, and shows the missed changes', async () => {
  const { organization, space, page } = await makeSpaceWithPage('Former words.');
  const { page: tab } = await openSignedIn(browser, organization);
  await openLive(tab, `/spaces/${space.id}/content/page/${page}`);
  await tab.getByText('Former words.').waitFor();
  await tab.context().setOffline(true);
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Better words.' } }]);
  await tab.context().setOffline(false);
  await tab.getByText('Better words.').waitFor();
});
