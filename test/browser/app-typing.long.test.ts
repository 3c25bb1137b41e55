import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of texts that the user types, and of what the user has opened, while others change the content.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const words = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];

/** Returns a text with a paragraph for each word, of which some are replaced. An empty paragraph is left out. */
const write = (replaced: Record<string, string> = {}): string =>
  words
    .map((word) => replaced[word] ?? `${word} words.`)
    .filter((text) => text !== '')
    .join('\n\n');

async function openSpace() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const guide = await makePage(space, 'Guide', write());
  const { page: tab } = await openSignedIn(browser, organization);
  const rewrite = (replaced: Record<string, string>, changeRequest?: string) =>
    edit(space, [{ operation: 'update_page', page: guide, document: { markdown: write(replaced) } }], changeRequest);
  return { space, guide, tab, rewrite };
}

/** Opens a path of the app, and waits until its live connection is open. */
async function openLive(tab: Page, path: string): Promise<void> {
  const connected = tab.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
  await tab.goto(`${platform().url}/app${path}`);
  await connected;
}

test('a review keeps its typed comment and its opened blocks while the author writes', async () => {
  const { space, tab, rewrite } = await openSpace();
  const { id } = await makeChangeRequest(space, 'Better words');
  await rewrite({ Two: 'Better words.' }, id);
  await openLive(tab, `/spaces/${space.id}/change-requests/${id}`);
  await tab.getByRole('button', { name: 'Show 3 unchanged blocks' }).click();
  const block = tab.getByRole('group', { name: 'Changed', exact: true });
  await block.getByRole('button', { name: 'Comment on this block' }).click();
  const field = block.getByRole('textbox', { name: 'Comment on this block' });
  await field.pressSequentially('My comm');
  const shown = await field.elementHandle();
  await rewrite({ Two: 'The best words.', Six: 'Last words.' }, id);
  await tab.getByText('The best words.').waitFor();
  await shown?.press('e');
  expect(await field.inputValue()).toBe('My comme');
  await tab.getByText('Four words.').waitFor();

  await rewrite({ Two: '', Six: 'Last words.' }, id);
  const lost = tab.getByRole('textbox', { name: 'Comment on a deleted block' });
  expect(await lost.inputValue()).toBe('My comme');
  await lost.press('Control+Enter');
  await tab
    .getByRole('article', { name: /^Comment by/ })
    .getByText('My comme')
    .waitFor();
  await expect.poll(() => lost.count()).toBe(0);
});

test('a suggestion stays while the author edits the block', async () => {
  const { space, guide, tab, rewrite } = await openSpace();
  const { id } = await makeChangeRequest(space, 'Better words');
  await rewrite({ Two: 'Better words.' }, id);
  await openLive(tab, `/spaces/${space.id}/change-requests/${id}`);
  const block = tab.getByRole('group', { name: 'Changed', exact: true });
  await block.getByRole('button', { name: 'Comment on this block' }).click();
  await block.getByRole('button', { name: 'Suggest a text' }).click();
  await block.getByLabel('Suggested text').fill('My words.');
  await rewrite({ Two: 'The best words.' }, id);
  await tab.getByText('The best words.').waitFor();
  await block.getByRole('button', { name: 'Suggest', exact: true }).click();
  await block.getByRole('button', { name: 'Apply suggestion' }).click();

  const path = `/v1/spaces/${space.id}/change-requests/${id}/content/page/${guide}`;
  const read = () => json<{ markdown: string }>(path, { token: space.token });
  await expect.poll(async () => (await read()).markdown.trim()).toBe(write({ Two: 'My words.' }));
});

test('a comment on a block of the live page stays while another person edits the block', async () => {
  const { space, guide, tab, rewrite } = await openSpace();
  await openLive(tab, `/spaces/${space.id}/content/page/${guide}`);
  await tab.getByText('Two words.').waitFor();
  await tab.getByRole('button', { name: 'Comment on this block' }).nth(1).click();
  const field = tab.getByRole('textbox', { name: 'Comment on this block' });
  await field.fill('My comment');
  await rewrite({ Two: 'The best words.' });
  await tab.getByText('The best words.').waitFor();
  expect(await field.inputValue()).toBe('My comment');
  await field.press('Control+Enter');
  const block = tab.locator('.commentable').filter({ hasText: 'The best words.' });
  await block.getByRole('article').getByText('My comment').waitFor();
});

test('a reply stays while another person resolves the thread', async () => {
  const { space, tab } = await openSpace();
  const { token } = space;
  const path = `/v1/spaces/${space.id}/comments`;
  const { id } = await json<{ id: string }>(path, { token, body: { body: { markdown: 'A question' } } });
  await openLive(tab, `/spaces/${space.id}/comments`);
  await tab.getByRole('button', { name: 'Reply' }).click();
  const field = tab.getByRole('textbox', { name: 'Reply' });
  await field.fill('My reply');
  await json(`${path}/${id}`, { token, method: 'PUT', body: { resolved: true } });
  await tab.locator('.thread.resolved').waitFor();
  expect(await field.inputValue()).toBe('My reply');
});

test('a page with a heading in its address keeps its position when it is edited', async () => {
  const { space, guide, tab } = await openSpace();
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join('\n\n');
  const rewrite = (first: string) =>
    edit(space, [
      {
        operation: 'update_page',
        page: guide,
        document: { markdown: `${first}\n\n${lines}\n\n## Target\n\n${lines}` },
      },
    ]);
  await rewrite('Former start.');
  await openLive(tab, `/spaces/${space.id}/content/page/${guide}#target`);
  await expect.poll(() => tab.evaluate('window.scrollY')).toBeGreaterThan(500);
  await tab.evaluate('window.scrollTo(0, 0)');
  await rewrite('New start.');
  await tab.getByText('New start.').waitFor();
  expect(await tab.evaluate('window.scrollY')).toBe(0);
});

test('a collapsed page of the tree stays collapsed when another person adds a page', async () => {
  const { space, guide, tab } = await openSpace();
  const child = await makePage(space, 'Child', 'Text.', { into: guide });
  await openLive(tab, `/spaces/${space.id}/content/page/${child}`);
  const tree = tab.getByRole('tree', { name: 'Pages' });
  await tree.getByText('Child').waitFor();
  await tree.getByRole('treeitem', { name: 'Guide' }).locator('.tree-toggle').click();
  await expect.poll(() => tree.getByText('Child').count()).toBe(0);
  await makePage(space, 'Another page');
  await tree.getByText('Another page').waitFor();
  expect(await tree.getByText('Child').count()).toBe(0);
});

test('a script that cannot be loaded is reported, and the page can be loaded again', async () => {
  const { space, guide, tab } = await openSpace();
  for (const name of ['space-navigation', 'elements']) {
    const pattern = `**/${name}.*.js`;
    await tab.route(pattern, (route) => route.abort());
    await tab.goto(`${platform().url}/app/spaces/${space.id}/content/page/${guide}`);
    const failure = tab.getByRole('alert').filter({ hasText: 'Something went wrong' });
    await failure.waitFor();
    await tab.unroute(pattern);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await tab.getByText('Two words.').waitFor();
    await tab.getByRole('treeitem', { name: 'Guide' }).waitFor();
  }
});

test('a text that is typed for one change request is not shown in another', async () => {
  const { space, tab } = await openSpace();
  const [first, second] = await Promise.all(['First', 'Second'].map((subject) => makeChangeRequest(space, subject)));
  const getAddress = (id: string | undefined) => `${platform().url}/app/spaces/${space.id}/change-requests/${id}`;
  const markdown = `Compare [the other one](${getAddress(second?.id)}?view=comments).`;
  const body = { body: { markdown } };
  await json(`/v1/spaces/${space.id}/change-requests/${first?.id}/comments`, { token: space.token, body });
  await tab.goto(`${getAddress(first?.id)}?view=comments`);
  await tab.getByRole('link', { name: 'the other one' }).click();
  await tab.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
  const field = tab.getByRole('textbox', { name: 'Comment on this change request' });
  await field.fill('About the second');
  await tab.goBack();
  await tab.getByRole('heading', { name: 'First', level: 1 }).waitFor();
  expect(await field.inputValue()).toBe('');

  await tab.goForward();
  await tab.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
  expect(await field.inputValue()).toBe('About the second');
});
