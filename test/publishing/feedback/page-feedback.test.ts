import { readRows } from '@octavo/db';
import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test } from 'vitest';
import { countsOfSite, feedbackOfSite, orphanedFeedback } from '../../../workers/publishing/src/feedback/queries.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { getFullScans } from '../../support/full-scans.ts';
import { connectMemoryDatabase, createMemoryDatabase } from '../../support/memory-database.ts';
import { guest } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { getElements, getText } from '../reader/html-tree.ts';
import { read } from '../reader/reads.ts';
import { getWithClass } from '../reader/reference/reference-site.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, makeSpaceWithPages, readStatus, resolve } from '../resolution/site-world.ts';

interface Counts {
  space: string;
  page: string;
  good: number;
  ok: number;
  bad: number;
}

let world: SiteWorld;
let space: Awaited<ReturnType<typeof makeSpaceWithPages>>;
let start = '';
let install = '';
let hidden = '';

const setCustomization = (body: object) =>
  json(`${world.path}/customization`, { token: space.token, method: 'PUT', body });

let readers = 0;
/** Returns the headers of a reader with another address. */
const createReader = () => {
  readers += 1;
  return { 'x-real-ip': `192.0.2.${readers}`, 'user-agent': 'Browser' };
};

/** Submits the form of a page as a browser without scripts does. */
const submitRating = (page: string, rating: string, headers: Record<string, string> = createReader(), path = '') =>
  platform().request(`${world.base}/${path}~/feedback`, {
    method: 'POST',
    body: new TextEncoder().encode(new URLSearchParams({ page, rating }).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

const list = <Item>(path: string, token = space.token) =>
  json<{ items: Item[]; next?: { page: string } }>(`${world.path}/feedback${path}`, { token });

const getCounts = async (page: string) => {
  const counts = (await list<Counts>('/pages')).items.find((each) => each.page === page);
  return counts && [counts.good, counts.ok, counts.bad];
};

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Install', 'Hidden']);
  [start = '', install = '', hidden = ''] = space.pages;
  await json(`/v1/spaces/${space.id}/content`, {
    token: space.token,
    body: { changes: [{ operation: 'update_page', page: hidden, condition: 'visitor.claims.isNobody' }] },
  });
  world = await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });
});

test('shows the feedback form only if the customization enables it, and returns 404 for ratings otherwise', async () => {
  expect(getWithClass((await read(`${world.base}/install`)).text, 'feedback')).toEqual([]);
  expect((await submitRating(install, 'good')).status).toBe(404);

  await setCustomization({ feedback: { enabled: true } });
  const [form] = getWithClass((await read(`${world.base}/install`)).text, 'feedback');
  const inside = form === undefined ? [] : getElements(form);
  const action = inside.find(({ tagName }) => tagName === 'form')?.properties.action;
  expect(new URL(String(action), `${world.base}/install`).href).toBe(`${world.base}/~/feedback`);
  expect(inside.find(({ tagName }) => tagName === 'input')?.properties.value).toBe(install);
  expect(
    inside.filter(({ tagName }) => tagName === 'button').map((each) => [each.properties.value, getText(each)]),
  ).toEqual([
    ['good', 'Yes'],
    ['ok', 'Partly'],
    ['bad', 'No'],
  ]);
});

test('redirects back to the page after a rating, and stores one rating per reader and page', async () => {
  const reader = createReader();
  const response = await submitRating(install, 'good', reader);
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `${new URL(world.base).pathname}/install#~rated`,
  ]);
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(await getCounts(install)).toEqual([1, 0, 0]);

  await submitRating(install, 'bad', reader);
  expect(await getCounts(install)).toEqual([0, 0, 1]);
  await submitRating(install, 'ok');
  await submitRating(start, 'bad', reader);
  expect([await getCounts(install), await getCounts(start)]).toEqual([
    [0, 1, 1],
    [0, 0, 1],
  ]);
});

test("stores neither IP addresses nor values that link a reader's ratings of two pages", async () => {
  const reader = createReader();
  await submitRating(install, 'good', reader);
  await submitRating(start, 'good', reader);
  const rows = query('SELECT * FROM page_feedback WHERE site = ?', world.site.id);

  expect(JSON.stringify(rows)).not.toContain(reader['x-real-ip']);
  expect(new Set(rows.map(({ voter }) => voter)).size).toBe(rows.length);
  expect(Object.keys((await list<object>('')).items[0] ?? {}).sort()).toEqual(
    ['object', 'page', 'ratedAt', 'rating', 'space'].sort(),
  );
});

test.each([
  ['an unknown rating', () => submitRating(install, 'great'), 404],
  ['an unknown page', () => submitRating('page_none', 'good'), 404],
  ['a page that the reader cannot see', () => submitRating(hidden, 'good'), 404],
  [
    'a form of another site',
    () => submitRating(install, 'good', { ...createReader(), 'sec-fetch-site': 'cross-site' }),
    403,
  ],
  ['a large body', () => submitRating('x'.repeat(2000), 'good'), 413],
])('rejects %s, and stores nothing', async (_name, send, status) => {
  const count = () => query('SELECT COUNT(*) AS n FROM page_feedback WHERE site = ?', world.site.id)[0]?.n;
  const before = await count();

  expect((await send()).status).toBe(status);
  expect(await count()).toBe(before);
});

test('a preview has no feedback form and stores no rating, not even for live content', async () => {
  const { url } = await json<{ url: string }>(`${world.path}/publishing/preview`, { token: space.token });
  const cookie = `octavo-visitor-${world.site.id}=${new URL(url).search.split('=')[1]}`;
  const before = await getCounts(install);

  const hasForm = async (headers: Record<string, string>) =>
    (await read(`${world.base}/install`, { headers })).text.includes('~/feedback');
  expect([await hasForm(createReader()), await hasForm({ cookie })]).toEqual([true, false]);
  expect((await submitRating(install, 'bad', { ...createReader(), cookie })).status).toBe(404);
  expect(await getCounts(install)).toEqual(before);
});

test('paginates ratings, newest first, and pages, those with most bad ratings first', async () => {
  for (let count = 0; count < 3; count += 1) await submitRating(start, 'bad');
  const whole = (await list<{ page: string; rating: string }>('')).items;
  expect(whole[0]).toMatchObject({ object: 'page-feedback', space: space.id, page: start, rating: 'bad' });

  const ratings: object[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const part: { items: object[]; next?: { page: string } } = await list(`?limit=2${next && `&page=${next}`}`);
    ratings.push(...part.items);
    next = part.next?.page;
  }
  expect(ratings).toEqual(whole);
  const [worst, ...others] = (await list<Counts>('/pages')).items;
  expect([worst?.page, others.map(({ page }) => page)]).toEqual([start, [install]]);
  const first = await list<Counts>('/pages?limit=1');
  expect((await list<Counts>(`/pages?limit=1&page=${first.next?.page}`)).items).toEqual(others);
  expect((await platform().request(`${world.path}/feedback?page=x`, { token: space.token })).status).toBe(400);
});

test('readers and members of other organizations cannot list ratings', async () => {
  const { apiToken } = await resolve(world.base);
  const other = await platform().makeOrganization();
  const { token } = await platform().makeUser({ organization: world.organization.id, role: guest });

  for (const path of [`${world.path}/feedback`, `${world.path}/feedback/pages`])
    for (const each of [apiToken, other.token, token]) expect(await readStatus(path, each)).toBe(404);
});

test('stores at most 10,000 ratings per page', async () => {
  const [good = 0, ok = 0, bad = 0] = (await getCounts(install)) ?? [];
  await writeDatabase(
    platform(),
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO page_feedback (site, space, page, voter, rating, rated_at) SELECT ?, ?, ?, 'voter ' || i, 'ok', ? FROM n`,
    10_000 - good - ok - bad,
    ...[world.site.id, space.id, install, Date.now()],
  );
  const full = [good, 10_000 - good - bad, bad];

  expect(await getCounts(install)).toEqual(full);
  expect((await submitRating(install, 'bad')).status).toBe(303);
  expect(await getCounts(install)).toEqual(full);
});

test('the daily cron deletes ratings older than a year, and those of deleted sites', async () => {
  const readRows = () => query('SELECT * FROM page_feedback WHERE site = ?', world.site.id);
  const year = Date.now() - 366 * 24 * 60 * 60_000;
  await writeDatabase(
    platform(),
    'UPDATE page_feedback SET rated_at = ? WHERE site = ? AND page = ?',
    year,
    world.site.id,
    start,
  );
  const runCron = () => callOperator(platform().dataDir, '/cron', { worker: 'publishing', cron: '29 3 * * *' });
  await runCron();
  expect([await getCounts(start), readRows().some(({ page }) => page === start)]).toEqual([undefined, false]);
  expect(await getCounts(install)).toBeDefined();

  await platform().request(world.path, { token: space.token, method: 'DELETE' });
  expect(readRows()).toHaveLength(9_000);
  await runCron();
  expect(readRows()).toEqual([]);
  expect(query('SELECT * FROM page_feedback_counts WHERE site = ?', world.site.id)).toEqual([]);
});

test('the list queries use indexes without sorting', async () => {
  const database = createMemoryDatabase();
  const queries = new Set<string>();
  const db = connectMemoryDatabase(database, (sql) => queries.add(sql));
  await readRows(db, orphanedFeedback(10));
  const [sweepStatement = ''] = queries;
  queries.clear();
  await readRows(db, feedbackOfSite('site_1', 1, 1, 2));
  await readRows(db, countsOfSite('site_1', 1, 'spc_1', 'page_1', 2));

  expect(queries.size).toBe(2);
  expect(getFullScans(database, sweepStatement)).toEqual([]);
  for (const sql of queries) {
    expect(getFullScans(database, sql)).toEqual([]);
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
    expect(plan).toEqual([expect.stringMatching(/^SEARCH \w+ USING (?:COVERING )?INDEX \w+ \(site=\? AND .*</)]);
  }
});
