import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getContrast } from '../../packages/reader/src/theme/color.ts';
import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { getViolations } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

/** Signs in and opens the page "Install" of a new space. */
async function openSpace(role?: string) {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const install = await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization, role === undefined ? {} : { role });
  await page.goto(`${platform().url}/app/spaces/${space.id}/content/page/${install}`);
  return { page, organization, space };
}

/** Opens the menu "More actions". Returns its items, with a line before each group. */
async function openMenu(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'PDF of the space' }).waitFor();
  return page.evaluate(`[...document.querySelectorAll('[role=menuitem]')].flatMap((item) =>
    [...(item.matches('.starts-group') ? ['-'] : []), item.querySelector('span').textContent])`);
}

test('the menu of a page separates the actions of the page from those of the space', async () => {
  const { page } = await openSpace();

  expect(await openMenu(page)).toEqual([
    ...['Copy link', 'Add to favorites', 'History of this page', 'PDF of this page'],
    ...['-', 'Move page', 'Delete page'],
    ...['-', 'PDF of the space', 'Export as Markdown', 'Publish', 'Space settings'],
  ]);
});

test('only admins of a space can change its settings', async () => {
  const { page } = await openSpace('review');

  expect(await openMenu(page)).not.toContain('Space settings');
});

test('readers of a space are not offered to import pages or to open the trash', async () => {
  const { page, space } = await openSpace('read');
  const links = page.getByRole('navigation', { name: 'Space' }).getByRole('link');
  await expect
    .poll(() => links.allTextContents())
    .toEqual(['Change requests', 'Comments', 'History', 'Files', 'Broken links']);

  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('option', { name: /^Broken links/ }).waitFor();
  expect(await page.getByRole('option', { name: /^(?:Import|Trash)/ }).count()).toBe(0);

  await page.goto(`${platform().url}/app/spaces/${space.id}/import`);
  await page.getByText('You do not have permission to import into this space').waitFor();
});

test('an admin renames a space and deletes it', async () => {
  const { page, organization, space } = await openSpace();
  const openSettings = async (): Promise<void> => {
    await openMenu(page);
    await page.getByRole('menuitem', { name: 'Space settings' }).click();
  };
  await openSettings();
  expect(await getViolations(page)).toEqual([]);
  await takePicture(page, 'app-space-settings');
  await page.getByLabel('Title').fill('Manual');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();
  await page.locator('.sidebar').getByText('Manual').waitFor();
  expect(await json(`/v1/spaces/${space.id}`, organization)).toMatchObject({ title: 'Manual' });

  await openSettings();
  await page.getByRole('button', { name: 'Delete space' }).click();
  await page.getByRole('dialog', { name: 'Delete “Manual”?' }).getByRole('button', { name: 'Delete space' }).click();
  await page.waitForURL(`**/app/orgs/${organization.id}`);
  await page.getByText('“Manual” was deleted').waitFor();
  await page.getByRole('heading', { name: 'Spaces', level: 2 }).first().waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Manual' }).count()).toBe(0);
  expect(await json(`/v1/spaces/${space.id}`, organization)).toHaveProperty('deletedAt');
});

test('an admin without other members is offered to invite reviewers', async () => {
  const { page, organization, space } = await openSpace();
  const { id } = await makeChangeRequest(space, 'First change');
  // Pretend that the organization has no other members.
  await page.route('**/members*', (route) =>
    route.fulfill({ body: JSON.stringify({ items: [] }), contentType: 'application/json' }),
  );
  await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}`);
  await page.getByRole('button', { name: 'Request review' }).click();
  await page.getByText('There are no other members yet.').waitFor();
  await takePicture(page, 'app-request-review-alone');
  const invite = page.getByRole('dialog').getByRole('link', { name: 'Invite members' });
  expect(await invite.getAttribute('href')).toBe(`/app/orgs/${organization.id}/members`);
});

test('on a phone, all tabs of a change request are aligned with the content', async () => {
  const { page, space } = await openSpace();
  const { id } = await makeChangeRequest(space, 'First change');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}?view=conflicts`);
  const last = page.getByRole('link', { name: 'Review and merge' });
  const first = page.getByRole('link', { name: /^Changes/ });
  await page.getByRole('link', { name: /^Conflicts/ }).waitFor();
  await takePicture(page, 'app-change-request-tabs-390');
  expect((await last.boundingBox())?.x).toBe((await first.boundingBox())?.x);
});

/** Returns the colors of an element with a class, as hexadecimal numbers. */
const getColors = (page: Page, classes: string): Promise<[ink: string, ground: string]> =>
  page.evaluate(`(() => {
    const element = document.body.appendChild(document.createElement('p'));
    element.className = '${classes}';
    const { color, backgroundColor } = getComputedStyle(element);
    element.remove();
    return [color, backgroundColor].map((each) =>
      '#' + each.match(/\\d+/g).slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0')).join(''));
  })()`);

test('danger buttons and messages of errors have the colors of other errors, light and dark', async () => {
  const { page } = await openSpace();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const error = await getColors(page, 'form-error');
    expect(getContrast(...error)).toBeGreaterThanOrEqual(4.5);
    for (const classes of ['button danger', 'notice error']) expect(await getColors(page, classes)).toEqual(error);
  }
});
