import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFiles, createPixel } from '../content/files/file-client.ts';
import { getClient } from '../content/space-client.ts';
import { edit, json, makePage } from '../support/content.ts';
import { makeMember } from '../support/people.ts';
import { platform } from '../support/platform.ts';
import { getViolations } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of lists that are too long to be shown completely.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

async function setUp() {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const { page } = await openSignedIn(browser, organization);
  return { organization, space, page, app: `${platform().url}/app/spaces/${space.id}` };
}

test('shows the newest comments, the older ones on request, and the one that the address names', async () => {
  const { space, page, app } = await setUp();
  const { token } = space;
  const pageId = await makePage(space, 'Install', 'Install it.\n');
  const path = `/v1/spaces/${space.id}/comments`;
  const post = (markdown: string) => json<{ id: string }>(path, { token, body: { page: pageId, body: { markdown } } });
  const oldest = await post('The oldest one.');
  for (let count = 0; count < 15; count += 1)
    await Promise.all(Array.from({ length: 20 }, (_, index) => post(`Comment ${count * 20 + index}`)));
  const threads = page.getByRole('article', { name: /^Comment by / });

  await page.goto(`${app}/comments`);
  await expect.poll(() => threads.count()).toBe(300);
  await page.getByText('Only the newest comments are shown.').waitFor();
  await page.getByLabel('Comment on this space').fill('A new comment.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await threads.last().getByText('A new comment.').waitFor();
  await page.getByRole('button', { name: 'Show older comments' }).click();
  await expect.poll(() => threads.count()).toBe(302);
  await threads.first().getByText('The oldest one.').waitFor();
  expect(await page.getByRole('button', { name: 'Show older comments' }).count()).toBe(0);

  await page.goto(`${app}/comments/${oldest.id}`);
  await threads.first().getByText('The oldest one.').waitFor();
  await expect.poll(() => threads.count()).toBe(301);
  await threads.first().getByRole('button', { name: 'Resolve' }).click();
  await threads.first().getByRole('button', { name: 'Reopen' }).waitFor();

  await page.goto(`${app}/content/page/${pageId}`);
  await page.getByRole('button', { name: 'Show older comments' }).click();
  await threads.getByText('The oldest one.').waitFor();
}, 120_000);

test('opens a revision that the history does not show at first', async () => {
  const { space, page, app } = await setUp();
  const pageId = await makePage(space, 'Install', 'Install it.\n');
  const { id: oldest } = await json<{ id: string }>(`/v1/spaces/${space.id}/content`, { token: space.token });
  for (let count = 0; count < 51; count += 1)
    await edit(space, [{ operation: 'update_page', page: pageId, title: `Title ${count}` }]);
  const opened = page.getByRole('button', { expanded: true });
  const revisions = page.getByRole('main').getByRole('list').first().getByRole('button', { expanded: false });

  await page.goto(`${app}/revisions/${oldest}`);
  await opened.waitFor();
  await page.getByRole('heading', { name: 'Install', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Restore this version of Install' }).waitFor();
  expect(await getViolations(page)).toEqual([]);

  await page.goto(`${app}/history`);
  await expect.poll(() => revisions.count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => revisions.count()).toBeGreaterThan(51);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
}, 120_000);

test('says that only the first 1,000 files are shown', async () => {
  const { page, app } = await setUp();
  const createFile = (index: number) => {
    const fields = { object: 'file', id: `fil_${index}`, name: `${index}.txt`, contentType: 'text/plain', size: 1 };
    return { ...fields, downloadURL: `/files/${index}` };
  };
  await page.route('**/content/files?**', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [start, limit] = [Number(query.get('page') ?? 0), Number(query.get('limit'))];
    const items = Array.from({ length: limit }, (_, index) => createFile(start + index));
    return route.fulfill({ json: { count: limit, items, next: { page: String(start + limit) } } });
  });

  await page.goto(`${app}/files`);
  await page.getByText('Only the first 1,000 are shown.').waitFor();
  expect(await page.getByRole('main').getByRole('listitem').count()).toBe(1000);
});

/** Records the requests of a page whose path matches. */
function recordRequests(page: Page, path: RegExp): URL[] {
  const urls: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (path.test(url.pathname)) urls.push(url);
  });
  return urls;
}

test('reads only the files that a page refers to', async () => {
  const { space, page, app } = await setUp();
  const files = await createFiles(
    getClient(platform(), space),
    ['first.png', 'second.png', 'other.png'].map((name) => createPixel(name)),
  );
  const [first = '', second = ''] = files.map(({ id }) => id);
  const pageId = await makePage(space, 'Install', `![First](/files/${first})\n\nOpen [second](/files/${second}).\n`);
  const requests = recordRequests(page, /\/content\/files/);

  await page.goto(`${app}/content/page/${pageId}`);
  await page.getByRole('img', { name: 'First' }).waitFor();
  expect(await page.getByRole('link', { name: 'second' }).getAttribute('href')).toContain('second.png');
  expect(requests.map(({ pathname }) => pathname.split('/').at(-1)).sort()).toEqual([first, second].sort());
});

test('reads the number of unread notifications once for several screens', async () => {
  const { page, app } = await setUp();
  const requests = recordRequests(page, /^\/v1\/user\/notifications$/);

  await page.goto(`${app}/comments`);
  for (const name of ['Files', 'History', 'Trash']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  }
  await page.waitForLoadState('networkidle');
  expect(requests).toHaveLength(1);
});

test('searches members when the user stops typing, and shows the former list until then', async () => {
  const { organization, page } = await setUp();
  await makeMember(organization);
  const requests = recordRequests(page, /^\/v1\/.*\/members$/);
  await page.goto(`${platform().url}/app/orgs/${organization.id}/members`);
  const rows = page.getByRole('main').getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  await page.evaluate(`
    window.emptied = false;
    const main = document.querySelector('main');
    new MutationObserver(() => {
      if (main.querySelector('li') === null) window.emptied = true;
    }).observe(main, { childList: true, subtree: true });`);

  await page.getByLabel('Search members').pressSequentially('ada-', { delay: 20 });
  await expect.poll(() => rows.count()).toBe(1);
  expect(requests.map(({ searchParams }) => searchParams.get('search'))).toEqual([null, 'ada-']);
  expect(await page.evaluate('window.emptied')).toBe(false);
});
