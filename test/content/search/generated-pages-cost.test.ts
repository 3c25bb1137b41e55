import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test, vi } from 'vitest';
import { query, writePast } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { readIndexedPages, readIndexedSections } from '../../support/search-index.ts';
import type { ReferenceSpace } from '../computed/reference-space.ts';
import { insertComputed, library, makeReferenceSpace, operation } from '../computed/reference-space.ts';
import { getCosts, queueJob } from '../retention/trash.ts';
import { getCost, insertPage } from '../space-client.ts';

const tags = 60;
const perTag = 40;

/** Enough operations to be indexed in several steps. */
const paths = Object.fromEntries(
  Array.from({ length: tags * perTag }, (_, index) => [
    `/${index}`,
    { get: operation([`Tag ${index % tags}`], `Walrus ${index}`) },
  ]),
);

let reference: ReferenceSpace;

const settled = (space = reference.id) =>
  vi.waitFor(() => expect(query('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', space)).toEqual([]), {
    timeout: 60_000,
    interval: 100,
  });

const sent = () => callOperator(platform().dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

const jobs = () =>
  query<{ data: string }>(
    "SELECT data FROM outbox WHERE space = ? AND type = 'index_made_pages' ORDER BY created_at",
    reference.id,
  );

const sections = () => readIndexedSections(platform(), reference.id);

/** Returns the version of the index, which every write to it increments. */
const version = () =>
  query<{ version: number }>(
    'SELECT i.version FROM search_indexes i JOIN spaces s ON s.organization = i.organization WHERE s.id = ?',
    reference.id,
  )[0]?.version;

beforeAll(async () => {
  reference = await makeReferenceSpace();
  await reference.publish('large', library({ paths, tags: [], webhooks: {}, components: {} }));
  await reference.space.change([insertPage('Guide'), insertComputed('large')]);
  await settled();
});

test('indexes a large specification completely, in steps', () => {
  const made = sections().filter(({ page }) => page.includes('-'));

  expect(made.filter(({ heading }) => heading.startsWith('Walrus'))).toHaveLength(tags * perTag);
  expect(new Set(made.map(({ page }) => page)).size).toBe(tags);
  expect(jobs().length).toBeGreaterThanOrEqual(3);
});

test('a search after the first one reads a limited number of rows, in three round trips', async () => {
  await reference.get('/search?query=walrus');
  const answer = await reference.get('/search?query=walrus');
  const { trips, read } = getCost(answer);
  const { items } = (await answer.json()) as { items: unknown[] };

  expect(items.length).toBeGreaterThan(10);
  expect(trips).toBe(3);
  expect(read).toBeLessThan(5000);
});

test('a new version of the specification stores the texts of changed pages only', async () => {
  const getCostOfSteps = async () => {
    const steps = Object.values(await getCosts(platform(), reference.id, 'index_made_pages')).flat();
    return steps.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  };
  const getKeys = () => readIndexedPages(platform()).map(({ key }) => key);
  const [before, cost] = [new Set(getKeys()), await getCostOfSteps()];
  const changed = { ...paths, '/0': { get: operation(['Tag 0'], 'Heron') } };
  await reference.publish('large', library({ paths: changed, tags: [], webhooks: {}, components: {} }));
  await vi.waitFor(() => expect(sections().filter(({ heading }) => heading === 'Heron')).toHaveLength(1), 60_000);
  await settled();

  expect(getKeys().filter((key) => !before.has(key))).toHaveLength(1);
  expect(sections().filter(({ heading }) => heading === 'Walrus 0')).toEqual([]);
  expect((await getCostOfSteps()) - cost).toBeLessThan(cost / 2);
});

test('an edit of a sibling re-indexes the generated pages only if it takes one of their slugs', async () => {
  const before = [jobs().length, sections().length];
  const [other = ''] = await reference.space.change([insertPage('Other')]);
  await settled();
  expect([jobs().length, sections().length]).toEqual([before[0], (before[1] ?? 0) + 1]);

  const unchanged = sections();
  await reference.space.change([{ operation: 'update_page', page: other, slug: 'tag-1' }]);
  await settled();
  expect(jobs().length).toBe((before[0] ?? 0) + 2);
  expect(sections()).toEqual(unchanged);
});

test('re-indexing a space indexes each computed page once, without removing its generated pages', async () => {
  const before = [jobs().length, sections()];
  await queueJob(platform(), reference.id, { type: 'index_space', data: {} });
  await sent();
  await settled();

  const begun = jobs()
    .slice(before[0] as number)
    .filter(({ data }) => !(JSON.parse(data) as { planned: boolean }).planned);
  expect(begun.map(({ data }) => JSON.parse(data))).toEqual([{ place: '', planned: false, anew: true }]);
  expect(sections()).toEqual(before[1]);
  const steps = query("SELECT id FROM outbox WHERE space = ? AND type = 'index_space'", reference.id);
  expect(steps).toHaveLength(1);
});

test('a job does not delete pages that were moved to another computed page after it read them', async () => {
  const before = sections();
  const rows = () => query('SELECT page, place FROM search_made_pages WHERE space = ? ORDER BY page', reference.id);
  const indexed = rows();
  for (const table of ['search_sources', 'search_made_pages'])
    await writePast(platform(), `UPDATE ${table} SET place = 'pg_former' WHERE space = ?`, reference.id);
  // The trigger simulates a concurrent job: it moves the pages to their current position between this job's read and
  // write.
  await writePast(
    platform(),
    `CREATE TRIGGER moved_between BEFORE DELETE ON search_sources WHEN old.space = '${reference.id}' BEGIN
      UPDATE search_made_pages SET place = '' WHERE space = old.space; END`,
  );
  await queueJob(platform(), reference.id, { type: 'index_made_pages', data: { place: 'pg_former' } });
  await sent();
  await settled();
  await writePast(platform(), 'DROP TRIGGER moved_between');

  expect(rows()).toEqual(indexed);
  expect(sections()).toEqual(before);
});

test('a repeated job, and a job for a space without its computed page, write nothing', async () => {
  const before = version();
  const insertJob = (place: string) =>
    queueJob(platform(), reference.id, { type: 'index_made_pages', data: { place } });
  await insertJob('');
  await insertJob('pg_of_another');
  await sent();
  await settled();
  expect(version()).toBe(before);

  await writePast(platform(), 'DELETE FROM search_made_pages WHERE space = ?', reference.id);
  await writePast(platform(), 'UPDATE spaces SET deleted_at = 1, purging_at = 1 WHERE id = ?', reference.id);
  await insertJob('');
  await sent();
  await settled();
  expect(version()).toBe(before);
  expect(query('SELECT page FROM search_made_pages WHERE space = ?', reference.id)).toEqual([]);
});

test('the number of jobs and rows grows linearly with the number of pages', async () => {
  const costs: { steps: number; rows: number }[] = [];
  for (const count of [100, 300]) {
    const { id, publish, space } = await makeReferenceSpace();
    const pages = Array.from({ length: count }, (_, index) => [`/${index}`, { get: operation([], `Walrus ${index}`) }]);
    await publish('wide', library({ paths: Object.fromEntries(pages), tags: [], webhooks: {}, components: {} }));
    await space.change([insertComputed('wide')]);
    await settled(id);
    await queueJob(platform(), id, { type: 'index_space', data: {} });
    await sent();
    await settled(id);
    const steps = Object.values(await getCosts(platform(), id, 'index_made_pages')).flat();
    costs.push({ steps: steps.length, rows: steps.reduce((sum, { rowsRead }) => sum + rowsRead, 0) });
  }
  const [few, many] = costs;

  expect(costs.map(({ steps }) => steps)).toEqual([2 * (1 + 4), 2 * (1 + 12)]);
  expect(many?.rows).toBeLessThan(3.3 * (few?.rows ?? 0));
});
