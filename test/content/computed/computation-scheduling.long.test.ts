import { beforeAll, describe, expect, test } from 'vitest';
import { sweepDeliveries } from '../../integrations/webhooks/webhook-client.ts';
import { betweenMinutes } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { gated } from '../../support/gate.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, telling } from './content-source.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

type Space = Awaited<ReturnType<ContentSource['makeSpace']>>;

const installation = () => `/v1/integrations/${source.name}/installations/${source.id}`;
const change = (path: string, body: object) => json(path, { token: source.owner.token, method: 'PATCH', body });
const end = async (path: string) =>
  expect((await server.request(path, { token: source.owner.token, method: 'DELETE' })).status).toBeLessThan(300);
const isDue = (space: Space, at: number) =>
  writePast(server, 'UPDATE computed_contents SET due_at = ? WHERE space = ?', at, space.id);
const begun = (space: Space) =>
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
  const made = await source.makeSpace();
  await betweenMinutes();
  await made.insert({ names: ['One'] });
  await isDue(made, 1);
  await sweepDeliveries();

  expect(begun(made)).toEqual([0]);
  await makeDue();
  expect(await made.titles()).toEqual(['One', 'Below One']);
});

test('alternates between organizations, however many pages are due for one of them', async () => {
  const many = await source.makeSpace();
  const other = await makeContentSource();
  const one = await other.makeSpace();
  await betweenMinutes(30);
  await insertMany(many, Array(12).fill({ names: [], wait: 200 }));
  await one.insert({ names: ['One'] });
  await isDue(one, 2);
  await isDue(many, 1);
  await makeDue();

  const [at = 0] = begun(one);
  expect(at).toBeGreaterThan(0);
  // At most the pages that are computed concurrently, plus the page of the first round.
  expect(begun(many).filter((each) => each < at).length).toBeLessThan(5);
});

test('a computation counts as failed until its result is stored', async () => {
  const [made, { gate, asked, open }] = [await source.makeSpace(), await gated()];
  await made.insert({ names: ['One'], gate });
  await isDue(made, 1);
  const run = makeDue();
  await asked;
  const taken = made.rows();
  open();
  await run;
  await made.settled();

  expect(taken).toMatchObject([{ failures: 1, leased_until: expect.toSatisfy((until) => until > 0) }]);
  expect(made.rows()).toMatchObject([{ failures: 0, leased_until: 0 }]);
});

describe('a change of an installation', () => {
  const places = [
    ['as a whole', () => installation()],
    ['on the space', (space: Space) => `${installation()}/spaces/${space.id}`],
  ] as const;

  test.each(places)('%s without an effect makes no pages due', async (_, path) => {
    const made = await source.makeSpace();
    await made.insert({ names: ['One'] });
    await made.make();
    const before = made.rows();
    await change(path(made), { externalIds: [made.id] });

    expect(made.rows()).toEqual(before);
  });

  test.each(places)('%s makes its pages due a minute later', async (_, path) => {
    const made = await source.makeSpace();
    await made.insert({ names: ['One'] });
    await made.make();
    await change(path(made), { configuration: { of: made.id } });

    expect(made.rows()[0]?.due_at).toBe((begun(made)[0] ?? 0) + 60_000);
  });

  test.each(places)('%s during a computation keeps its pages and triggers another one', async (_, path) => {
    const [made, { gate, asked, open }] = [await source.makeSpace(), await gated()];
    await made.insert({ names: ['One'], gate });
    await isDue(made, 1);
    const run = makeDue();
    await asked;
    await change(path(made), { configuration: { while: made.id } });
    open();
    await run;
    await made.settled();

    expect(await made.titles()).toEqual(['One', 'Below One']);
    expect(made.rows()).toMatchObject([{ leased_until: 0, due_at: (begun(made)[0] ?? 0) + 60_000 }]);
  });
});

describe('removes pages immediately', () => {
  const selection = (space_selection: string) => change(installation(), { space_selection });

  test.each<[string, (space: Space) => Promise<unknown>, (space: Space) => Promise<unknown>]>([
    [
      'where the installation is paused',
      () => change(installation(), { status: 'paused' }),
      () => change(installation(), { status: 'active' }),
    ],
    ['where it is taken off the space', (space) => end(`${installation()}/spaces/${space.id}`), () => selection('all')],
    [
      'where it is for that space no more',
      async (space) => {
        await selection('all');
        await end(`${installation()}/spaces/${space.id}`);
        expect(await space.titles()).toEqual(['One', 'Below One']);
        await selection('selected');
      },
      () => selection('all'),
    ],
  ])('%s, and are computed again', async (_, leave, come) => {
    await selection('selected');
    const made = await source.makeSpace();
    await made.insert({ names: ['One'] });
    await made.make();
    await leave(made);

    expect(await made.titles()).toEqual(['Made']);
    await come(made);
    await made.make();
    expect(await made.titles()).toEqual(['One', 'Below One']);
    const kept =
      'SELECT DISTINCT k.version FROM computed_contents k CROSS JOIN computed_entries e ON e.version = k.version';
    expect(query(`${kept} WHERE k.space = ? AND k.former IS NULL`, made.id)).toHaveLength(1);
  });

  test('when the installation is removed, including pages from a running computation', async () => {
    const [other, { gate, asked, open }] = [await makeContentSource(), await gated()];
    const made = await other.makeSpace();
    const { told, tell } = await telling();
    await insertTwo(made, other.name, told);
    await made.make();
    expect(await made.titles()).toHaveLength(4);
    tell({ gate });
    await isDue(made, 1);
    const run = makeDue();
    await asked;
    const path = `/v1/integrations/${other.name}/installations/${other.id}`;
    expect((await server.request(path, { token: other.owner.token, method: 'DELETE' })).status).toBeLessThan(300);

    expect(await made.titles()).toEqual(['Made', 'Made']);
    open();
    await run;
    await made.settled();
    expect(await made.titles()).toEqual(['Made', 'Made']);
  });
});

async function insertTwo(space: Space, name: string, told: string): Promise<void> {
  for (const each of ['One', 'Two'])
    await space.space.change([
      {
        operation: 'insert_computed',
        title: 'Made',
        computed: { type: `integration:${name}:pages`, props: { names: [each], told } },
      },
    ]);
  await until(() => (space.rows().length === 2 ? true : undefined));
}

test('computes only as many pages as readers can see, and computes others when some are removed', async () => {
  await change(installation(), { space_selection: 'all' });
  const made = await source.makeSpace();
  await insertMany(
    made,
    Array.from({ length: 40 }, (_, n) => ({ names: [`A${n}`] })),
  );
  await insertMany(
    made,
    Array.from({ length: 15 }, (_, n) => ({ names: [`B${n}`] })),
  );
  await made.make();

  const ofThose = () =>
    query<{ page: string; version: string | null }>(
      'SELECT page, version FROM computed_contents WHERE space = ? ORDER BY page',
      made.id,
    );
  const isMade = ofThose().map(({ version }) => version !== null);
  expect(isMade).toEqual([...Array(50).fill(true), ...Array(5).fill(false)]);
  expect((await made.titles()).filter((title) => title === 'Made')).toHaveLength(5);

  await made.space.change([{ operation: 'delete_page', page: ofThose()[0]?.page }]);
  await until(async () => {
    await made.make();
    return ofThose().length === 54 ? true : undefined;
  });
  expect(ofThose().filter(({ version }) => version !== null)).toHaveLength(50);
});
