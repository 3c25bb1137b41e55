import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { hostileAddresses, hostileTexts } from './hostile-texts.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await takePicture(page, `${name}-${colorScheme}`);
  }
}

/** Checks that a phone needs no horizontal scrolling. */
async function expectFitsPhone(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await takePicture(page, `${name}-phone`);
  await page.setViewportSize(size);
}

const guide = 'Read this page first.\n\nInstall the tool first.\n\nThen run it.\n';
const proposed = guide.replace('the tool first', 'version 2 of the tool first');

test('two people review, discuss, resolve a conflict and merge', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { token } = organization;
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const rules = { type: 'rules', rules: [{ rule: 'require_at_least_one_approved_review' }] };
  await json(`/v1/spaces/${space.id}`, { token, method: 'PATCH', body: { mergeRules: rules } });
  const pageId = await makePage(space, 'Install', guide);
  const { page: ann } = await openSignedIn(browser, organization, { name: 'ann', role: 'edit' });
  const { page: ben } = await openSignedIn(browser, organization, { name: 'ben', role: 'review' });
  const list = `${platform().url}/app/spaces/${space.id}/change-requests`;

  // Ann creates a change request and asks Ben for a review.
  await ann.goto(list);
  await ann.getByRole('button', { name: 'New change request' }).click();
  await ann.getByLabel('Title').fill('Name the version');
  await ann.getByLabel('Description').fill('Version 1 is outdated.');
  await ann.getByRole('button', { name: 'Create' }).click();
  await ann.getByRole('heading', { name: 'Name the version', level: 1 }).waitFor();
  const changeRequest = new URL(ann.url()).pathname.split('/').at(-1) ?? '';
  await edit(space, [{ operation: 'update_page', page: pageId, document: { markdown: proposed } }], changeRequest);
  await ann.reload();
  await ann.getByRole('button', { name: 'Request review' }).click();
  await ann.getByLabel('Find members and teams').fill('ben');
  await ann.getByRole('checkbox', { name: /^ben-/ }).check();
  await ann.getByRole('dialog').getByRole('button', { name: 'Request review' }).click();
  await ann.getByText('Review requested').waitFor();
  await ann.getByText('Open', { exact: true }).first().waitFor();
  await ann.getByText('You do not have permission to merge in this space.').waitFor();

  // Ben finds it, comments on the changed block by keyboard with a mention, and requests changes.
  await ben.goto(list);
  await ben.getByLabel('Show change requests of').selectOption('Waiting for my review');
  await expectAccessible(ben, 'app-change-requests');
  await expectFitsPhone(ben, 'app-change-requests');
  await ben.getByRole('link', { name: /Name the version/ }).waitFor();
  await ben.getByRole('link', { name: /^Inbox\s*1\s*unread$/ }).click();
  await ben.getByRole('link', { name: /asked you for a review of Name the version/ }).waitFor();
  await expectAccessible(ben, 'app-inbox');
  await expectFitsPhone(ben, 'app-inbox');
  await ben.getByRole('link', { name: /asked you for a review of Name the version/ }).click();
  await ben.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
  const block = ben.getByRole('group', { name: 'Changed', exact: true });
  await block.getByRole('button', { name: 'Comment on this block' }).focus();
  await ben.keyboard.press('Enter');
  await ben.keyboard.type('Which version, @ann');
  await ben.getByRole('option', { name: /^ann-/ }).waitFor();
  await ben.keyboard.press('Enter');
  await ben.keyboard.type('?');
  await ben.keyboard.press('Control+Enter');
  await block.getByRole('article').getByText('Which version').waitFor();
  await block
    .getByRole('article')
    .getByText(/^@ann-[\w-]+$/)
    .waitFor();
  expect(await ben.evaluate('[...CSS.highlights.get("octavo-added")].map(String)')).toEqual(['version 2 of ']);
  expect(await ben.getByRole('button', { name: 'Merge', exact: true }).isDisabled()).toBe(true);
  await expectAccessible(ben, 'app-change-request');
  await expectFitsPhone(ben, 'app-change-request');
  await ben.getByRole('button', { name: 'Side by side' }).click();
  await expectAccessible(ben, 'app-source-difference');
  await ben.getByRole('button', { name: 'Rendered' }).click();
  await ben.getByRole('button', { name: 'Review changes' }).click();
  expect(await ben.getByRole('radio', { checked: true }).count()).toBe(0);
  await ben.getByRole('radio', { name: /^Request changes/ }).check();
  await ben.getByLabel('Comment (optional)').fill('Please answer my question.');
  await ben.getByRole('button', { name: 'Submit review' }).click();
  await ben.getByText('Requested changes', { exact: true }).waitFor();

  // Ann replies to the comment and resolves it.
  await ann.goto(`${platform().url}/app/inbox?kind=mentioned`);
  await ann.getByRole('link', { name: /mentioned you in Name the version/ }).click();
  const thread = ann.getByRole('article').filter({ hasText: 'Which version' });
  await thread.getByRole('button', { name: 'Reply' }).click();
  await thread.getByLabel('Reply').fill('The one of this year.');
  await thread.getByLabel('Reply').press('Control+Enter');
  await thread.getByText('The one of this year.').waitFor();
  await thread.getByRole('button', { name: 'Resolve' }).click();
  await thread.getByRole('button', { name: 'Reopen' }).waitFor();
  await expectAccessible(ann, 'app-comments');
  await expectFitsPhone(ann, 'app-comments');

  // The live content changes at the same line. Ann updates, and resolves the conflict.
  const live = guide.replace('the tool first', 'the server first');
  await edit(space, [{ operation: 'update_page', page: pageId, document: { markdown: live } }]);
  await ann.reload();
  await ann.getByRole('button', { name: 'Update from live content' }).click();
  await ann.getByRole('radio', { name: 'Keep both' }).check();
  await expectAccessible(ann, 'app-conflicts');
  await expectFitsPhone(ann, 'app-conflicts');
  await ann.getByRole('radio', { name: 'Edit' }).check();
  await ann.getByLabel('Result').fill('Install version 2 of the server first.');
  await ann.getByRole('button', { name: 'Save result' }).click();
  await ann.getByRole('heading', { name: 'No conflicts' }).waitFor();

  // Ben approves and merges.
  await ben.reload();
  await ben.getByRole('button', { name: 'Review changes' }).click();
  await ben.getByRole('radio', { name: /^Approve/ }).check();
  await ben.getByRole('button', { name: 'Submit review' }).click();
  await ben.getByText('Approved', { exact: true }).waitFor();
  await ben.getByRole('button', { name: 'Merge', exact: true }).click();
  await ben.getByRole('button', { name: 'Merge changes' }).click();
  await ben.getByText('Merged', { exact: true }).first().waitFor();
  const { markdown } = await json<{ markdown: string }>(`/v1/spaces/${space.id}/content/page/${pageId}`, { token });
  expect(markdown).toBe(guide.replace('the tool first', 'version 2 of the server first'));

  // Both see the live page, and the arrow keys move between the comment buttons of its blocks.
  await ann.goto(`${platform().url}/app/spaces/${space.id}/content/page/${pageId}`);
  const buttons = ann.getByRole('button', { name: 'Comment on this block' });
  await buttons.first().focus();
  await ann.keyboard.press('ArrowDown');
  await ann.keyboard.press('Enter');
  await ann.keyboard.type('Well said.');
  await ann.keyboard.press('Control+Enter');
  await ann.getByRole('button', { name: '1 open comment on this block' }).waitFor();
  await expectAccessible(ann, 'app-page-comments');
  await expectFitsPhone(ann, 'app-page-comments');
}, 240_000);

test.each([true, false])(
  'a review applies only to the changes that were shown (live connection: %s)',
  async (isLive) => {
    const organization = await platform().makeOrganization('Acme');
    const { token } = organization;
    const space = await platform().makeSpace({ organization, title: 'Handbook' });
    const pageId = await makePage(space, 'Install', guide);
    const path = `/v1/spaces/${space.id}/change-requests`;
    const { id } = await json<{ id: string }>(path, { token, body: { subject: 'Name the version' } });
    const write = (markdown: string) =>
      edit(space, [{ operation: 'update_page', page: pageId, document: { markdown } }], id);
    await write(proposed);
    const { page } = await openSignedIn(browser, organization, { name: 'ben', role: 'review' });
    if (!isLive) await page.route('**/live', (route) => route.abort());
    const connected = isLive
      ? page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
      : 0;
    await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}`);
    await connected;
    await page.getByText('version 2 of').waitFor();

    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^Approve/ }).check();
    await dialog.getByLabel('Comment (optional)').fill('Good work.');
    await write(proposed.replace('version 2', 'version 3'));
    if (!isLive) await dialog.getByRole('button', { name: 'Submit review' }).click();
    await dialog.getByRole('alert').getByText('The change request has changed').waitFor();
    await expectAccessible(page, 'app-review-changed');
    expect(await json(`${path}/${id}/reviews`, { token })).toMatchObject({ items: [] });

    await dialog.getByRole('button', { name: 'View changes' }).click();
    await page.getByText('version 3 of').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    expect(await dialog.getByLabel('Comment (optional)').inputValue()).toBe('Good work.');
    await dialog.getByRole('radio', { name: /^Approve/ }).check();
    await dialog.getByRole('button', { name: 'Submit review' }).click();
    await page.getByText('Approved', { exact: true }).waitFor();
    const { revision } = await json<{ revision: string }>(`${path}/${id}`, { token });
    expect(await json(`${path}/${id}/reviews`, { token })).toMatchObject({
      items: [{ revision, status: 'approved', comment: { body: { markdown: 'Good work.' } } }],
    });
  },
  120_000,
);

test('texts of others run no script in the app', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { token } = organization;
  const space = await platform().makeSpace({ organization, title: '<img src=x onerror=hit()>' });
  const links = Object.values(hostileAddresses).map((address) => `[a](${address}) [b](<${address}>)`);
  const markdown = [...Object.values(hostileTexts), ...links].join('\n\n');
  const pageId = await makePage(space, 'Install', 'Read this page first.\n');
  const body = { subject: '<script>hit()</script>', description: markdown.slice(0, 9999) };
  const path = `/v1/spaces/${space.id}/change-requests`;
  const { id } = await json<{ id: string }>(path, { token, body });
  await edit(space, [{ operation: 'update_page', page: pageId, document: { markdown } }], id);
  await json(`${path}/${id}/comments`, { token, body: { page: pageId, body: { markdown } } });
  const { page } = await openSignedIn(browser, organization, { role: 'edit' });
  const hits: string[] = [];
  await page.exposeFunction('hit', (name: string) => hits.push(name));
  page.on('dialog', (dialog) => hits.push(dialog.message()));

  for (const view of ['changes', 'comments']) {
    await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}?view=${view}`);
    await page.getByRole('article').first().waitFor();

    for (const form of view === 'changes' ? ['Source', 'Side by side', 'Rendered'] : [])
      await page.getByRole('button', { name: form }).click();
    const unsafe = 'a[href]:not([href^="http"], [href^="/"], [href^="#"], [href^="mailto:"])';
    expect(await page.locator(unsafe).count()).toBe(0);
    expect(
      await page.locator('main :is(script, iframe:not([sandbox]), object, embed, base, meta, form[action])').count(),
    ).toBe(0);
  }
  expect(hits).toEqual([]);
}, 120_000);
