import { beforeAll, describe, expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { query } from '../../support/database.ts';
import { installOn } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { ComputedRow, ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, serveProps } from './content-source.ts';
import type { ReferencePage } from './reference-space.ts';
import { listAllPages } from './reference-space.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

describe('pages computed by an integration', () => {
  test('replace the computed page, are read by ID and by path, and are found by search', async () => {
    const space = await source.makeSpace();
    await space.space.change([insertPage('One')]);
    await waitUntilMidMinute();
    const id = await space.insert({ names: ['One', 'Two'] });
    expect(await space.titles()).toEqual(['One', 'Made']);

    await space.make();

    const [, one, two] = await space.tree();
    expect(listAllPages(await space.tree()).map(({ path }) => path)).toEqual([
      'one',
      'one-2',
      'one-2/below-one',
      'two',
      'two/below-two',
    ]);
    expect(one).toMatchObject({
      ...{ type: 'document', title: 'One', description: 'pages', computedSeed: id },
      computed: { type: `integration:${source.name}:pages` },
    });
    for (const path of [`/content/page/${two?.id}`, '/content/path/two']) {
      const read = await space.space.callJson<ReferencePage & { markdown: string }>(`${path}?format=markdown`);
      expect(read).toMatchObject({ id: two?.id, title: 'Two', path: 'two' });
      expect(read.markdown).toContain('## About Two');
      expect(read.markdown).toContain(source.id);
      expect(read.markdown).toContain('\\{% include');
      expect(read.markdown).not.toContain('secret');
    }
    expect(await space.tree('?computed=false')).toMatchObject([{ title: 'One' }, { id, type: 'computed' }]);
    const search = () => space.space.callJson<{ items: { id: string }[] }>('/search?query=About%20Two');
    await until(async () => ((await search()).items.some((page) => page.id === two?.id) ? true : undefined));
  });

  test('are updated by the next computation, and stay unchanged if the response is the same', async () => {
    const space = await source.makeSpace();
    await space.insert({ names: ['One'] });
    await space.make();
    const [first] = space.rows();
    const [before] = await space.tree();
    await space.make();

    expect(space.rows()[0]?.version).toBe(first?.version);
    expect((await space.tree())[0]).toEqual(before);
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', first?.version ?? '')).toHaveLength(2);
  });

  test('get only dependencies of their own organization in the script', async () => {
    const space = await source.makeSpace();
    const other = await server.makeSpace();
    const dependencies = {
      own: { ref: { kind: 'space', space: space.id } },
      other: { ref: { kind: 'space', space: other.id } },
    };
    await space.insert({ names: ['One'] }, { dependencies });
    await space.make();

    const { markdown } = await space.space.callJson<{ markdown: string }>('/content/path/one?format=markdown');
    expect(markdown).toContain(`"id":"${space.id}"`);
    expect(markdown).toContain(`"space":"${other.id}"`);
    expect(markdown).not.toContain(`"id":"${other.id}"`);
  });

  test('stay unchanged if the integration fails; the failure is reported and retried', async () => {
    const space = await source.makeSpace();
    const { told, tell } = await serveProps();
    await space.insert({ names: ['One'], told });
    await space.make();
    tell({ fails: true });
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      const before = Date.now();
      await space.make();
      const [row] = space.rows();
      expect(row).toMatchObject({ failures, error: expect.stringContaining('not now') });
      waits.push(Math.round(((row?.due_at ?? 0) - before) / 60_000));
    }

    expect(waits).toEqual([1, 2, 4]);
    expect(await space.titles()).toEqual(['One', 'Below One']);
    const path = `/v1/integrations/${source.name}/events`;
    const log = await (await server.request(path, { token: source.owner.token })).json();
    expect(log).toMatchObject({ items: [{ status: 'failed', payload: { type: 'content_compute_revision' } }, {}, {}] });
  });

  test('are removed with the page or the installation, and restored when the page or installation returns', async () => {
    const space = await source.makeSpace();
    const id = await space.insert({ names: ['One'] });
    const path = `/v1/integrations/${source.name}/installations/${source.id}`;
    await space.make();
    const getDueTime = () => space.rows()[0]?.due_at;
    const before = space.rows()[0]?.version ?? '';

    const off = { token: source.owner.token, method: 'DELETE' };
    expect((await server.request(`${path}/spaces/${space.id}`, off)).status).toBeLessThan(300);
    expect(await space.titles()).toEqual(['Made']);
    await space.make();
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', before)).toEqual([]);
    await installOn(path, source.owner, { space: space.id });
    expect(getDueTime()).toBeLessThan(Date.now() + 61_000);
    await space.make();
    expect(await space.titles()).toEqual(['One', 'Below One']);
    const [{ version = '' } = {}] = query<{ version: string }>(
      'SELECT version FROM computed_contents WHERE space = ?',
      space.id,
    );

    await space.space.change([{ operation: 'delete_page', page: id }]);
    await until(async () => {
      await space.make();
      return space.rows().length === 0 ? true : undefined;
    });
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', version)).toEqual([]);
  });
});

/** Returns the events of a space in the integration's log, each with its trace. */
async function readLoggedEvents(space: string): Promise<object[]> {
  const readLog = async <Body>(path: string): Promise<Body> => {
    const response = await server.request(`/v1/integrations/${source.name}/events${path}`, {
      token: source.owner.token,
    });
    return (await response.json()) as Body;
  };
  const { items } = await readLog<{ items: { id: string; payload: { spaceId?: string } }[] }>('');
  return Promise.all(
    items.filter(({ payload }) => payload.spaceId === space).map(({ id }) => readLog<object>(`/${id}`)),
  );
}

test.each([
  ['is not a list of pages', { pages: 'One' }, 'pages'],
  ['has a page without a title', { pages: [{ type: 'document' }] }, 'pages.0.title'],
  ['has a page of another kind', { pages: [{ type: 'computed', title: 'One' }] }, '`pages.0.type` must be document'],
  ['has a link without a target', { pages: [{ type: 'link', title: 'One' }] }, 'pages.0.target'],
  [
    'has a link that runs code',
    { pages: [{ type: 'link', title: 'One', target: { kind: 'url', url: 'javascript:alert(1)' } }] },
    'pages.0.target.url',
  ],
  [
    'has a link with an unsupported target',
    { pages: [{ type: 'link', title: 'One', target: { kind: 'user', user: 'usr_1' } }] },
    'pages.0.target.kind',
  ],
  ...['pages', 'slug', 'computed', 'description'].map((key): [string, object, string] => [
    `has a link with ${key}`,
    { pages: [{ type: 'link', title: 'One', target: { kind: 'url', url: 'https://example.com' }, [key]: [] }] },
    `\`pages.0.${key}\` must be left out for a link.`,
  ]),
  ['has files', { pages: [], files: [{ name: 'a.png' }] }, '`files` must be left out'],
  ['has an invalid emoji', { pages: [{ type: 'document', title: 'One', emoji: 'One' }] }, 'pages.0.emoji'],
  ['has a nested page without a title', { pages: [{ type: 'group', title: 'One', pages: [{}] }] }, 'pages.0.pages.0.t'],
  ['has too many pages', { pages: Array(101).fill({ type: 'document', title: 'One' }) }, 'pages'],
  [
    'has too many nested pages',
    { pages: [{ type: 'group', title: 'A', pages: Array(100).fill({ type: 'document', title: 'One' }) }] },
    'pages.0.pages.99',
  ],
  [
    'names another integration',
    { pages: [{ type: 'document', title: 'One', computed: { type: 'integration:other:pages' } }] },
    'pages.0.computed.type',
  ],
])('rejects a response that %s, creates no pages, and names the path of the error', async (_, answer, path) => {
  const made = await source.makeSpace();
  await made.insert({ answer });
  await made.first();

  expect(made.rows()).toMatchObject([{ version: null, error: expect.stringContaining(path) }]);
  expect(await made.titles()).toEqual(['Made']);
  const logged = await readLoggedEvents(made.id);
  expect(logged).toMatchObject([{ event: { status: 'failed' }, trace: { error: expect.stringContaining(path) } }]);
});

test('an integration that is not installed in the organization cannot compute pages there', async () => {
  const stranger = await server.makeSpace();
  const space = getClient(server, stranger);
  const computed = { type: `integration:${source.name}:pages`, props: { names: ['One'] } };
  await space.change([{ operation: 'insert_computed', title: 'Made', computed }]);
  const readErrorRow = () =>
    query<ComputedRow>('SELECT error FROM computed_contents WHERE space = ? AND error IS NOT NULL', stranger.id)[0];
  await until(async () => {
    await makeDue();
    return readErrorRow();
  });

  expect(readErrorRow()).toMatchObject({ error: expect.stringContaining('No active installation') });
  expect(await space.pages()).toMatchObject([{ title: 'Made', type: 'computed' }]);
});
