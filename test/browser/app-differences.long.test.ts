import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFiles } from '../content/files/file-client.ts';
import { getClient } from '../content/space-client.ts';
import { edit, makeChangeRequest, makePage } from '../support/content.ts';
import { getPng } from '../support/images.ts';
import { platform, type TestOrganization, type TestSpace } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of the order and the size of the changes in a review, and of the bars of the editor on a phone.

const phone = { width: 390, height: 844 };
let browser: Browser;
let organization: TestOrganization;
let space: TestSpace;
let pages: { guide: string; install: string; usage: string };

beforeAll(async () => {
  [browser, organization] = await Promise.all([openBrowser(), platform().makeOrganization('Acme')]);
  space = await platform().makeSpace({ organization, title: 'Handbook' });
  const [guide, install, usage] = [
    await makePage(space, 'Guide', 'Guide.'),
    await makePage(space, 'Install', 'Install it.'),
    await makePage(space, 'Usage', 'Use it.'),
  ];
  pages = { guide, install, usage };
}, 120_000);

afterAll(() => browser?.close());

const app = (path: string): string => `${platform().url}/app/spaces/${space.id}${path}`;
const write = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } });

test('a review shows the pages in the order of the tree, and from where to where a page was moved', async () => {
  const old = await makePage(space, 'Old', 'Old.');
  await makePage(space, 'Last', 'Last.');
  const { id } = await makeChangeRequest(space, 'Sort the pages');
  await edit(
    space,
    [
      { operation: 'insert_page', title: 'New', document: { markdown: 'New.' } },
      write(pages.usage, 'Use it often.'),
      { operation: 'delete_page', page: old },
      { operation: 'update_page', page: pages.install, into: pages.guide },
      write(pages.guide, 'Guide of all.'),
    ],
    id,
  );
  const { page } = await openSignedIn(browser, organization);
  await page.goto(app(`/change-requests/${id}`));
  await page.getByText('Moved from the top level to Guide').waitFor();
  await checkScreen(page, 'review-order');

  expect(await page.locator('.changed-item h2').allTextContents()).toEqual(['Guide', 'Install', 'Usage', 'Old', 'New']);
}, 120_000);

test('a review shows its changes before the page tree is loaded, and without it', async () => {
  const { id } = await makeChangeRequest(space, 'Move a page');
  await edit(space, [{ operation: 'update_page', page: pages.usage, into: null, at: 0 }], id);
  const { page } = await openSignedIn(browser, organization);
  const tree = '**/content/pages*';
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(tree, (route) => isReleased.then(() => route.continue()));
  await page.goto(app(`/change-requests/${id}`));
  await page.getByText('Moved within the top level').waitFor();
  release();
  await page.getByText('Moved to the first position in the top level').waitFor();

  await page.unroute(tree);
  await page.route(tree, (route) => route.abort());
  await page.reload();
  await page.getByText('Moved within the top level').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await page.getByText('to the first position').count()).toBe(0);
}, 120_000);

test('images in a review are not wider than their box on a phone', async () => {
  const { id } = await makeChangeRequest(space, 'Add pictures');
  const file = { name: 'wide.png', contentType: 'image/png', base64: getPng(1600, 200, 200).toString('base64') };
  const [image] = await createFiles(getClient(platform(), space), [file], id);
  const picture = `![Wide](/files/${image?.id})`;
  await edit(
    space,
    [write(pages.usage, `${picture}\n\nA ${picture}.\n\n| A | B |\n|---|---|\n| ${picture} | b |\n`)],
    id,
  );
  const { page } = await openSignedIn(browser, organization, { viewport: phone });
  await page.goto(app(`/change-requests/${id}`));
  await page.locator('.changed-content img').nth(3).waitFor();
  await page.waitForLoadState('networkidle');
  await checkScreen(page, 'review-images');
  await page.setViewportSize(phone);

  const overflow = `[...document.querySelectorAll('.changed-content img')].map((img) => {
    const [inner, outer] = [img, img.closest('.changed-content')].map((each) => each.getBoundingClientRect());
    return [img.complete && img.naturalWidth, inner.left >= outer.left && inner.right <= outer.right];
  })`;
  expect(await page.evaluate(overflow)).toEqual(Array.from({ length: 4 }, () => [1600, true]));
}, 120_000);

const createOneRowScript = (name: string): string => `(() => {
  const shown = [...document.querySelector('${name}').children].filter((each) => each.offsetParent !== null);
  const middles = shown.map((each) => each.getBoundingClientRect()).map(({ top, height }) => top + height / 2);
  return Math.max(...middles) - Math.min(...middles) < 12;
})()`;

test.each([390, 320])(
  'the bars of a review and of the editor have one row on a screen of %i pixels',
  async (width) => {
    const { id } = await makeChangeRequest(space, 'Edit on a phone, with a long subject');
    const { page } = await openSignedIn(browser, organization, { viewport: { ...phone, width } });
    await page.goto(app(`/change-requests/${id}`));
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const name of ['.bar', '.bar-actions'])
      expect([name, await page.evaluate(createOneRowScript(name))]).toEqual([name, true]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.goto(app(`/change-requests/${id}/edit/${pages.usage}`));
    const text = page.getByRole('textbox', { name: 'Text of the page' });
    await text.click();
    await page.keyboard.type('More. ');
    await page.getByText('Saved', { exact: true }).waitFor();

    for (const name of ['.bar', '.bar-actions', '.editor-toolbar', '.edit-draft'])
      expect([name, await page.evaluate(createOneRowScript(name))]).toEqual([name, true]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  },
  120_000,
);
