import { beforeAll, describe, expect, test } from 'vitest';
import { sweepDeliveries } from '../../integrations/webhooks/webhook-client.ts';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { createGate } from '../../support/gate.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, serveProps } from './content-source.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

type Space = Awaited<ReturnType<ContentSource['makeSpace']>>;

const getInstallationPath = () => `/v1/integrations/${source.name}/installations/${source.id}`;
const change = (path: string, body: object) => json(path, { token: source.owner.token, method: 'PATCH', body });
const end = async (path: string) =>
  expect((await server.request(path, { token: source.owner.token, method: 'DELETE' })).status).toBeLessThan(300);
const isDue = (space: Space, at: number) =>
  writeDatabase(server, 'UPDATE computed_contents SET due_at = ? WHERE space = ?', at, space.id);
const getStartTime = (space: Space) =>
  query<{ taken_at: number }>('SELECT taken_at FROM computed_contents WHERE space = ?', space.id).map(
    (row) => row.taken_at,
  );

async function insertMany(space: Space, props: object[]): Promise<void> {
  const type = `integration:${source.name}:pages`;
  const had = space.rows().length;
  await space.space.change(
    props.map((each) => ({ operation: 'insert_computed', title: 'Made', computed: { type, props: each } })),
  );
  await until(() => (space.rows().length === had + props.length ? true : undefined));
}

test('the shared cron only sends jobs, and does not compute pages itself', async () => {
  const space = await source.makeSpace();
  await waitUntilMidMinute();
  await space.insert({ names: ['One'] });
  await isDue(space, 1);
  await sweepDeliveries();

  expect(getStartTime(space)).toEqual([0]);
  await makeDue();
  expect(await space.titles()).toEqual(['One', 'Below One']);
});

test('alternates between organizations, however many pages of one of them must be computed', async () => {
  const many = await source.makeSpace();
  const other = await makeContentSource();
  const one = await other.makeSpace();
  await waitUntilMidMinute(30);
  await insertMany(many, Array(12).fill({ names: [], wait: 200 }));
  await one.insert({ names: ['One'] });
  await isDue(one, 2);
  await isDue(many, 1);
  await makeDue();

  const [at = 0] = getStartTime(one);
  expect(at).toBeGreaterThan(0);
  // Only the page of the first round and the pages that are computed concurrently may start before it.
  expect(getStartTime(many).filter((each) => each < at).length).toBeLessThan(5);
});

test('a computation counts as failed until its result is stored', async () => {
  const [space, { gate, reached, open }] = [await source.makeSpace(), await createGate()];
  await space.insert({ names: ['One'], gate });
  await isDue(space, 1);
  const run = makeDue();
  await reached;
  const taken = space.rows();
  open();
  await run;
  await space.settled();

  expect(taken).toMatchObject([{ failures: 1, leased_until: expect.toSatisfy((until) => until > 0) }]);
  expect(space.rows()).toMatchObject([{ failures: 0, leased_until: 0 }]);
});

describe('a change of an installation', () => {
  const places = [
    ['as a whole', () => getInstallationPath()],
    ['on the space', (space: Space) => `${getInstallationPath()}/spaces/${space.id}`],
  ] as const;

  test.each(places)('%s without an effect schedules no pages', async (_, path) => {
    const space = await source.makeSpace();
    await space.insert({ names: ['One'] });
    await space.make();
    const before = space.rows();
    await change(path(space), { externalIds: [space.id] });

    expect(space.rows()).toEqual(before);
  });

  test.each(places)('%s schedules its pages a minute later', async (_, path) => {
    const space = await source.makeSpace();
    await space.insert({ names: ['One'] });
    await space.make();
    await change(path(space), { configuration: { of: space.id } });

    expect(space.rows()[0]?.due_at).toBe((getStartTime(space)[0] ?? 0) + 60_000);
  });

  test.each(places)('%s during a computation keeps its pages and starts another computation', async (_, path) => {
    const [space, { gate, reached, open }] = [await source.makeSpace(), await createGate()];
    await space.insert({ names: ['One'], gate });
    await isDue(space, 1);
    const run = makeDue();
    await reached;
    await change(path(space), { configuration: { while: space.id } });
    open();
    await run;
    await space.settled();

    expect(await space.titles()).toEqual(['One', 'Below One']);
    expect(space.rows()).toMatchObject([{ leased_until: 0, due_at: (getStartTime(space)[0] ?? 0) + 60_000 }]);
  });
});

describe('removes pages immediately', () => {
  const changeSelection = (space_selection: string) => change(getInstallationPath(), { space_selection });

  test.each<[string, (space: Space) => Promise<unknown>, (space: Space) => Promise<unknown>]>([
    [
      'when the installation is paused',
      () => change(getInstallationPath(), { status: 'paused' }),
      () => change(getInstallationPath(), { status: 'active' }),
    ],
    [
      'when it is removed from the space',
      (space) => end(`${getInstallationPath()}/spaces/${space.id}`),
      () => changeSelection('all'),
    ],
    [
      'when it no longer includes the space',
      async (space) => {
        await changeSelection('all');
        await end(`${getInstallationPath()}/spaces/${space.id}`);
        expect(await space.titles()).toEqual(['One', 'Below One']);
        await changeSelection('selected');
      },
      () => changeSelection('all'),
    ],
  ])('%s, and computes them again', async (_, leave, come) => {
    await changeSelection('selected');
    const space = await source.makeSpace();
    await space.insert({ names: ['One'] });
    await space.make();
    await leave(space);

    expect(await space.titles()).toEqual(['Made']);
    await come(space);
    await space.make();
    expect(await space.titles()).toEqual(['One', 'Below One']);
    const keptVersions =
      'SELECT DISTINCT k.version FROM computed_contents k CROSS JOIN computed_entries e ON e.version = k.version';
    expect(query(`${keptVersions} WHERE k.space = ? AND k.former IS NULL`, space.id)).toHaveLength(1);
  });

  test('when the installation is removed, including pages of a running computation', async () => {
    const [other, { gate, reached, open }] = [await makeContentSource(), await createGate()];
    const space = await other.makeSpace();
    const { told, tell } = await serveProps();
    await insertTwo(space, other.name, told);
    await space.make();
    expect(await space.titles()).toHaveLength(4);
    tell({ gate });
    await isDue(space, 1);
    const run = makeDue();
    await reached;
    const path = `/v1/integrations/${other.name}/installations/${other.id}`;
    expect((await server.request(path, { token: other.owner.token, method: 'DELETE' })).status).toBeLessThan(300);

    expect(await space.titles()).toEqual(['Made', 'Made']);
    open();
    await run;
    await space.settled();
    expect(await space.titles()).toEqual(['Made', 'Made']);
  });
});

async function insertTwo(space: Space, name: string, pageTitle: string): Promise<void> {
  for (const each of ['One', 'Two'])
    await space.space.change([
      {
        operation: 'insert_computed',
        title: 'Made',
        computed: { type: `integration:${name}:pages`, props: { names: [each], told: pageTitle } },
      },
    ]);
  await until(() => (space.rows().length === 2 ? true : undefined));
}

test('computes only as many pages as readers can see, and computes others after some are removed', async () => {
  await change(getInstallationPath(), { space_selection: 'all' });
  const space = await source.makeSpace();
  await insertMany(
    space,
    Array.from({ length: 40 }, (_, n) => ({ names: [`A${n}`] })),
  );
  await insertMany(
    space,
    Array.from({ length: 15 }, (_, n) => ({ names: [`B${n}`] })),
  );
  await space.make();

  const readComputedPages = () =>
    query<{ page: string; version: string | null }>(
      'SELECT page, version FROM computed_contents WHERE space = ? ORDER BY page',
      space.id,
    );
  const isMade = readComputedPages().map(({ version }) => version !== null);
  expect(isMade).toEqual([...Array(50).fill(true), ...Array(5).fill(false)]);
  expect((await space.titles()).filter((title) => title === 'Made')).toHaveLength(5);

  await space.space.change([{ operation: 'delete_page', page: readComputedPages()[0]?.page }]);
  await until(async () => {
    await space.make();
    return readComputedPages().length === 54 ? true : undefined;
  });
  expect(readComputedPages().filter(({ version }) => version !== null)).toHaveLength(50);
});
