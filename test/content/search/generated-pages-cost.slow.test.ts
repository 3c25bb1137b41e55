import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test, vi } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { readIndexedPages, readIndexedSections } from '../../support/search-index.ts';
import type { ReferenceSpace } from '../computed/reference-space.ts';
import { createLibrary, createOperation, insertComputed, makeReferenceSpace } from '../computed/reference-space.ts';
import { getCosts, queueJob } from '../retention/trash.ts';
import { getCost, insertPage } from '../space-client.ts';

const tags = 60;
const perTag = 40;

/** Enough operations to be indexed in several steps. */
const paths = Object.fromEntries(
  Array.from({ length: tags * perTag }, (_, index) => [
    `/${index}`,
    { get: createOperation([`Tag ${index % tags}`], `Walrus ${index}`) },
  ]),
);

let reference: ReferenceSpace;

const waitUntilIdle = (space = reference.id) =>
  vi.waitFor(() => expect(query('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', space)).toEqual([]), {
    timeout: 60_000,
    interval: 100,
  });

const runMinuteCron = () => callOperator(platform().dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

const readJobs = () =>
  query<{ data: string }>(
    "SELECT data FROM outbox WHERE space = ? AND type = 'index_made_pages' ORDER BY created_at",
    reference.id,
  );

const readSections = () => readIndexedSections(platform(), reference.id);

/** Returns the version of the index, which every write to it increments. */
const readVersion = () =>
  query<{ version: number }>(
    'SELECT i.version FROM search_indexes i JOIN spaces s ON s.organization = i.organization WHERE s.id = ?',
    reference.id,
  )[0]?.version;

beforeAll(async () => {
  reference = await makeReferenceSpace();
  await reference.publish('large', createLibrary({ paths, tags: [], webhooks: {}, components: {} }));
  await reference.space.change([insertPage('Guide'), insertComputed('large')]);
  await waitUntilIdle();
});

test('indexes a large specification completely, in steps', () => {
  const sections = readSections().filter(({ page }) => page.includes('-'));

  expect(sections.filter(({ heading }) => heading.startsWith('Walrus'))).toHaveLength(tags * perTag);
  expect(new Set(sections.map(({ page }) => page)).size).toBe(tags);
  expect(readJobs().length).toBeGreaterThanOrEqual(3);
});

test('a search after the first one reads a limited number of rows, in two round trips', async () => {
  await reference.get('/search?query=walrus');
  const response = await reference.get('/search?query=walrus');
  const { trips, read } = getCost(response);
  const { items } = (await response.json()) as { items: unknown[] };

  expect(items.length).toBeGreaterThan(10);
  expect(trips).toBe(2);
  expect(read).toBeLessThan(5000);
});

test('a new version of the specification stores the texts of changed pages only', async () => {
  const getCostOfSteps = async () => {
    const steps = Object.values(await getCosts(platform(), reference.id, 'index_made_pages')).flat();
    return steps.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  };
  const getKeys = () => readIndexedPages(platform()).map(({ key }) => key);
  const [before, cost] = [new Set(getKeys()), await getCostOfSteps()];
  const changed = { ...paths, '/0': { get: createOperation(['Tag 0'], 'Heron') } };
  await reference.publish('large', createLibrary({ paths: changed, tags: [], webhooks: {}, components: {} }));
  await vi.waitFor(() => expect(readSections().filter(({ heading }) => heading === 'Heron')).toHaveLength(1), 60_000);
  await waitUntilIdle();

  expect(getKeys().filter((key) => !before.has(key))).toHaveLength(1);
  expect(readSections().filter(({ heading }) => heading === 'Walrus 0')).toEqual([]);
  expect((await getCostOfSteps()) - cost).toBeLessThan(cost / 2);
});

test('an edit of a sibling re-indexes the generated pages only if it takes one of their slugs', async () => {
  const before = [readJobs().length, readSections().length];
  const [other = ''] = await reference.space.change([insertPage('Other')]);
  await waitUntilIdle();
  expect([readJobs().length, readSections().length]).toEqual([before[0], (before[1] ?? 0) + 1]);

  const unchanged = readSections();
  await reference.space.change([{ operation: 'update_page', page: other, slug: 'tag-1' }]);
  await waitUntilIdle();
  expect(readJobs().length).toBe((before[0] ?? 0) + 2);
  expect(readSections()).toEqual(unchanged);
});

test('re-indexing a space indexes each computed page once, without removing its generated pages', async () => {
  const before = [readJobs().length, readSections()];
  await queueJob(platform(), reference.id, { type: 'index_space', data: {} });
  await runMinuteCron();
  await waitUntilIdle();

  const begun = readJobs()
    .slice(before[0] as number)
    .filter(({ data }) => !(JSON.parse(data) as { planned: boolean }).planned);
  expect(begun.map(({ data }) => JSON.parse(data))).toEqual([{ place: '', planned: false, anew: true }]);
  expect(readSections()).toEqual(before[1]);
  const steps = query("SELECT id FROM outbox WHERE space = ? AND type = 'index_space'", reference.id);
  expect(steps).toHaveLength(1);
});

test('a job does not delete pages that were moved to another computed page after it read them', async () => {
  const before = readSections();
  const readPageRows = () =>
    query('SELECT page, place FROM search_made_pages WHERE space = ? ORDER BY page', reference.id);
  const indexed = readPageRows();
  for (const table of ['search_sources', 'search_made_pages'])
    await writeDatabase(platform(), `UPDATE ${table} SET place = 'pg_former' WHERE space = ?`, reference.id);
  // The trigger simulates a concurrent job: it moves the pages to their current position between this job's read and
  // write.
  await writeDatabase(
    platform(),
    `CREATE TRIGGER moved_between BEFORE DELETE ON search_sources WHEN old.space = '${reference.id}' BEGIN
      UPDATE search_made_pages SET place = '' WHERE space = old.space; END`,
  );
  await queueJob(platform(), reference.id, { type: 'index_made_pages', data: { place: 'pg_former' } });
  await runMinuteCron();
  await waitUntilIdle();
  await writeDatabase(platform(), 'DROP TRIGGER moved_between');

  expect(readPageRows()).toEqual(indexed);
  expect(readSections()).toEqual(before);
});

test('a repeated job, and a job for a space without its computed page, write nothing', async () => {
  const before = readVersion();
  const insertJob = (place: string) =>
    queueJob(platform(), reference.id, { type: 'index_made_pages', data: { place } });
  await insertJob('');
  await insertJob('pg_of_another');
  await runMinuteCron();
  await waitUntilIdle();
  expect(readVersion()).toBe(before);

  await writeDatabase(platform(), 'DELETE FROM search_made_pages WHERE space = ?', reference.id);
  await writeDatabase(platform(), 'UPDATE spaces SET deleted_at = 1, purging_at = 1 WHERE id = ?', reference.id);
  await insertJob('');
  await runMinuteCron();
  await waitUntilIdle();
  expect(readVersion()).toBe(before);
  expect(query('SELECT page FROM search_made_pages WHERE space = ?', reference.id)).toEqual([]);
});

test('the number of jobs and rows grows linearly with the number of pages', async () => {
  const costs: { steps: number; rows: number }[] = [];
  for (const count of [100, 300]) {
    const { id, publish, space } = await makeReferenceSpace();
    const pages = Array.from({ length: count }, (_, index) => [
      `/${index}`,
      { get: createOperation([], `Walrus ${index}`) },
    ]);
    await publish('wide', createLibrary({ paths: Object.fromEntries(pages), tags: [], webhooks: {}, components: {} }));
    await space.change([insertComputed('wide')]);
    await waitUntilIdle(id);
    await queueJob(platform(), id, { type: 'index_space', data: {} });
    await runMinuteCron();
    await waitUntilIdle(id);
    const steps = Object.values(await getCosts(platform(), id, 'index_made_pages')).flat();
    costs.push({ steps: steps.length, rows: steps.reduce((sum, { rowsRead }) => sum + rowsRead, 0) });
  }
  const [few, many] = costs;

  expect(costs.map(({ steps }) => steps)).toEqual([2 * (1 + 4), 2 * (1 + 12)]);
  expect(many?.rows).toBeLessThan(3.3 * (few?.rows ?? 0));
});
