import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of the actions that change the page tree in a change request.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

interface TreePage {
  title: string;
  pages: TreePage[];
}

type Titles = string | [string, Titles[]];

const toTitles = (pages: TreePage[]): Titles[] =>
  pages.map(({ title, pages: below }) => (below.length === 0 ? title : [title, toTitles(below)]));

/** Returns the titles in the page tree of the change request that the browser shows. */
async function readTitles(tab: Page, { id, token }: TestSpace): Promise<Titles[]> {
  await tab.waitForURL(/change-requests\/\w+/);
  const changeRequest = /change-requests\/(\w+)/.exec(tab.url())?.[1];
  const path = `/v1/spaces/${id}/change-requests/${changeRequest}/content/pages`;
  return toTitles((await json<{ pages: TreePage[] }>(path, { token })).pages);
}

/** Signs in and opens the page "Guide" of a new space. It contains "Install" and "Usage". "Notes" is its sibling. */
async function openGuide() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const guide = await makePage(space, 'Guide');
  await makePage(space, 'Install', '', { into: guide });
  await makePage(space, 'Usage', '', { into: guide });
  const notes = await makePage(space, 'Notes');
  const { page: tab, faults } = await openSignedIn(browser, organization);
  const open = (page: string) => tab.goto(`${platform().url}/app/spaces/${space.id}/content/page/${page}`);
  await open(guide);
  const choose = async (action: string): Promise<void> => {
    await tab.getByRole('button', { name: 'More actions' }).click();
    await tab.getByRole('menuitem', { name: action, exact: true }).click();
  };
  return { tab, faults, space, guide, notes, open, choose };
}

test('deletes a page with the pages below it, after naming their number', async () => {
  const { tab, faults, space, choose } = await openGuide();
  await choose('Delete page');
  await tab.getByText('The 2 pages below it are deleted too.').waitFor();
  await tab.getByRole('button', { name: 'Delete', exact: true }).click();
  await tab.getByText('“Guide” is deleted in this change request.').waitFor();
  expect(await readTitles(tab, space)).toEqual(['Notes']);
  expect(faults).toEqual([]);
});

test('moves a page into another by keyboard, to the chosen position', async () => {
  const { tab, space, notes, open, choose } = await openGuide();
  await open(notes);
  await choose('Move page');
  const parent = tab.getByLabel('Parent page');
  await parent.waitFor();
  await parent.focus();
  await tab.keyboard.type('Guide');
  await tab.keyboard.press('Tab');
  await tab.keyboard.type('First');
  // The next fields are the change request and the button "Cancel".
  for (let step = 0; step < 3; step += 1) await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  await tab.getByText('“Notes” is moved in this change request.').waitFor();
  expect(await readTitles(tab, space)).toEqual([['Guide', ['Notes', 'Install', 'Usage']]]);
});

test('creates a page inside the shown page, or beside it', async () => {
  const { tab, space, guide, open } = await openGuide();
  const create = async (title: string, position: string | undefined): Promise<void> => {
    await tab.getByRole('button', { name: 'New page' }).click();
    await tab.getByLabel('Title').fill(title);
    if (position !== undefined) await tab.getByLabel('Position').selectOption({ label: position });
    await tab.getByRole('button', { name: 'Create page' }).click();
    await tab.waitForURL('**/edit/*');
  };
  await create('Inside', undefined);
  await open(guide);
  await create('Beside', 'After “Guide”, on the same level');
  expect(await readTitles(tab, space)).toEqual([['Guide', ['Install', 'Usage', 'Inside']], 'Beside', 'Notes']);
});

test('offers to create a page only after the page tree is loaded, which decides about its position', async () => {
  const { tab, guide, open } = await openGuide();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await tab.route('**/content/pages*', (route) => isReleased.then(() => route.continue()));
  await open(guide);
  const button = tab.getByRole('button', { name: 'New page' });
  await button.waitFor();
  expect(await button.isDisabled()).toBe(true);
  release();
  await button.click();
  expect(await tab.getByLabel('Position').inputValue()).toBe('inside');
});
