import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { getViolations } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of moving pages in the page tree.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

interface TreePage {
  title: string;
  pages: TreePage[];
}

/** Returns the titles in a page tree, each with the number of its ancestors. */
const toTitles = (pages: TreePage[], level = 0): string[] =>
  pages.flatMap(({ title, pages: below }) => [`${'-'.repeat(level)}${title}`, ...toTitles(below, level + 1)]);

/** Returns the titles in the change request that the browser shows. */
async function readTitles(tab: Page, { id, token }: TestSpace): Promise<string[]> {
  const changeRequest = /change-requests\/(\w+)/.exec(tab.url())?.[1];
  const path = `/v1/spaces/${id}/change-requests/${changeRequest}/content/pages`;
  return toTitles((await json<{ pages: TreePage[] }>(path, { token })).pages);
}

const getItem = (tab: Page, name: string) => tab.getByRole('treeitem', { name, exact: true });

/** Creates a space with the pages "Guide", "Notes" and "Last", and signs in. "Guide" contains "Install" and "Usage". */
async function openSpace(options: { role?: string } = {}) {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const guide = await makePage(space, 'Guide');
  await makePage(space, 'Install', '', { into: guide });
  await makePage(space, 'Usage', '', { into: guide });
  await makePage(space, 'Notes');
  await makePage(space, 'Last');
  const { page: tab, faults } = await openSignedIn(browser, organization, options);
  return { tab, faults, space, guide, address: `${platform().url}/app/spaces/${space.id}` };
}

/** Opens a new change request of the space. The app then shows the page tree of the change request. */
async function openChangeRequest() {
  const opened = await openSpace();
  const { id } = await makeChangeRequest(opened.space, 'Sort the pages');
  await opened.tab.goto(`${opened.address}/change-requests/${id}`);
  await opened.tab.getByRole('heading', { name: 'Sort the pages', level: 1 }).waitFor();
  await getItem(opened.tab, 'Guide').waitFor();
  return opened;
}

test('dragging a page in the live tree moves it in a draft, whose tree is shown', async () => {
  const { tab, faults, space, address } = await openSpace();
  await tab.goto(address);
  await getItem(tab, 'Last').dragTo(getItem(tab, 'Notes'), { targetPosition: { x: 60, y: 3 } });
  await tab.getByRole('heading', { name: 'Change request #1', level: 1 }).waitFor();
  await tab.getByText('“Last” is page 2 of 3 on the top level in this change request.').waitFor();
  expect(await readTitles(tab, space)).toEqual(['Guide', '-Install', '-Usage', 'Last', 'Notes']);

  await getItem(tab, 'Notes').dragTo(getItem(tab, 'Guide'), { targetPosition: { x: 60, y: 15 } });
  await tab.getByText('“Notes” is page 3 of 3 in “Guide”').waitFor();
  expect(await readTitles(tab, space)).toEqual(['Guide', '-Install', '-Usage', '-Notes', 'Last']);
  expect(await tab.getByRole('treeitem').allTextContents()).toEqual(['Guide', 'Install', 'Usage', 'Notes', 'Last']);
  await tab.goto(address);
  await getItem(tab, 'Last').waitFor();
  expect(await tab.getByRole('treeitem').last().textContent()).toBe('Last');
  expect(faults).toEqual([]);
});

test('keys move a page at once, and the server gets each move', async () => {
  const { tab, faults, space } = await openChangeRequest();
  await getItem(tab, 'Last').focus();
  await tab.keyboard.press('Alt+ArrowUp');
  await tab.keyboard.press('Alt+ArrowRight');
  await tab.keyboard.press('Alt+ArrowUp');
  await tab.keyboard.press('Alt+ArrowUp');
  expect(await tab.getByRole('treeitem').allTextContents()).toEqual(['Guide', 'Last', 'Install', 'Usage', 'Notes']);
  expect(await tab.evaluate('document.activeElement.textContent')).toBe('Last');
  const moved = ['Guide', '-Last', '-Install', '-Usage', 'Notes'];
  await expect.poll(() => readTitles(tab, space), { timeout: 20_000 }).toEqual(moved);
  await tab.keyboard.press('Alt+ArrowLeft');
  await tab.getByText('“Last” is page 2 of 3 on the top level').waitFor();
  expect(await readTitles(tab, space)).toEqual(['Guide', '-Install', '-Usage', 'Last', 'Notes']);
  await tab.getByRole('link', { name: /^Changes/ }).waitFor();
  expect(faults).toEqual([]);
});

test('a failed move is reported, and the tree shows the former position', async () => {
  const { tab } = await openChangeRequest();
  await tab.route('**/content?compat=false', (route) => route.abort());
  await getItem(tab, 'Last').focus();
  await tab.keyboard.press('Alt+ArrowUp');
  await tab.getByText('The server cannot be reached.').waitFor();
  await tab.getByRole('treeitem').last().getByText('Last').waitFor();
});

test('the menu of a page opens by mouse and by keyboard', async () => {
  const { tab, faults, space } = await openChangeRequest();
  await getItem(tab, 'Notes').click({ button: 'right' });
  await takePicture(tab, 'app-tree-menu');
  expect(await getViolations(tab)).toEqual([]);
  await tab.getByRole('menuitem', { name: 'Move up' }).click();
  await tab.getByText('“Notes” is page 1 of 3 on the top level').waitFor();

  await getItem(tab, 'Notes').focus();
  await tab.keyboard.press('Shift+F10');
  await tab.getByRole('menuitem', { name: 'Edit' }).waitFor();
  await tab.keyboard.press('Escape');
  expect(await tab.evaluate('document.activeElement.textContent')).toBe('Notes');

  await getItem(tab, 'Notes').hover();
  await getItem(tab, 'Notes').locator('.tree-more').click();
  await tab.getByRole('menuitem', { name: 'Delete page' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await tab.getByText('“Notes” is deleted in this change request.').waitFor();
  expect(await readTitles(tab, space)).toEqual(['Guide', '-Install', '-Usage', 'Last']);
  await getItem(tab, 'Notes').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('the tree shows the row of the current page', async () => {
  const { tab, space, address } = await openSpace();
  const pages = Array.from({ length: 40 }, (_, index) => ({
    ...{ operation: 'insert_page', title: `Page ${index}`, document: { markdown: 'Text.' } },
  }));
  const ids = await edit(space, pages);
  for (const index of [8, 25]) {
    await tab.goto(`${address}/content/page/${ids[index]}`);
    await getItem(tab, `Page ${index}`).waitFor();
    const isShown = `(() => {
      const [row, tree] = ['[aria-selected=true]', '.sidebar-scroll'].map((each) => document.querySelector(each));
      const [inner, outer] = [row, tree].map((each) => each.getBoundingClientRect());
      return inner.top >= outer.top && inner.bottom <= outer.bottom;
    })()`;
    await expect.poll(() => tab.evaluate(isShown)).toBe(true);
  }
});

test('readers cannot move pages', async () => {
  const { tab, address } = await openSpace({ role: 'read' });
  await tab.goto(address);
  await getItem(tab, 'Guide').waitFor();
  expect(await getItem(tab, 'Guide').getAttribute('draggable')).not.toBe('true');
  await getItem(tab, 'Notes').focus();
  await tab.keyboard.press('Alt+ArrowUp');
  expect(await tab.getByRole('treeitem').first().textContent()).toBe('Guide');
});

const groups = 100;

/** A tree of 100 pages with 99 pages each, as the API returns it. */
const createTree = (): string =>
  JSON.stringify({
    pages: Array.from({ length: groups }, (_, group) => ({
      ...{ id: `pg_${group}`, title: `Page ${group}`, type: 'document' },
      pages: Array.from({ length: groups - 1 }, (_each, index) => ({
        ...{ id: `pg_${group}_${index}`, title: `Page ${group}.${index}`, type: 'document', pages: [] },
      })),
    })),
  });

test('in a tree of 10,000 pages, moves take less than 100 ms and draw only the visible rows', async () => {
  const { tab } = await openChangeRequest();
  await tab.route('**/content/pages*', (route) =>
    route.fulfill({ body: createTree(), contentType: 'application/json' }),
  );
  await tab.route('**/content?compat=false', () => undefined);
  await tab.reload();
  await getItem(tab, 'Page 0').focus();
  await tab.keyboard.press('End');
  await getItem(tab, 'Page 99').waitFor();
  // The time of the handler and of drawing the tree again. The median leaves out pauses by other processes.
  const milliseconds = await tab.evaluate<number>(`(async () => {
    const times = [];
    for (let step = 0; step < 20; step += 1) {
      const start = performance.now();
      document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true }),
      );
      await new Promise((resolve) => requestAnimationFrame(resolve));
      times.push(performance.now() - start);
    }
    return times.sort((one, other) => one - other)[10];
  })()`);
  expect(milliseconds).toBeLessThan(100);
  expect(await getItem(tab, 'Page 99').getAttribute('aria-posinset')).toBe('80');
  expect(await tab.getByRole('treeitem').count()).toBeLessThan(100);
});
