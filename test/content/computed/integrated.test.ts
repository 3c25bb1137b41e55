import { beforeAll, describe, expect, test } from 'vitest';
import { betweenMinutes } from '../../support/between-minutes.ts';
import { query } from '../../support/database.ts';
import { installOn } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { ComputedRow, ContentSource } from './content-source.ts';
import { makeContentSource, makeDue, telling } from './content-source.ts';
import type { ReferencePage } from './reference-space.ts';
import { allPages } from './reference-space.ts';

const server = platform();

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

describe('pages computed by an integration', () => {
  test('replace the computed page, are read by ID and by path, and are found by search', async () => {
    const made = await source.makeSpace();
    await made.space.change([insertPage('One')]);
    await betweenMinutes();
    const id = await made.insert({ names: ['One', 'Two'] });
    expect(await made.titles()).toEqual(['One', 'Made']);

    await made.make();

    const [, one, two] = await made.tree();
    expect(allPages(await made.tree()).map(({ path }) => path)).toEqual([
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
      const read = await made.space.ok<ReferencePage & { markdown: string }>(`${path}?format=markdown`);
      expect(read).toMatchObject({ id: two?.id, title: 'Two', path: 'two' });
      expect(read.markdown).toContain('## About Two');
      expect(read.markdown).toContain(source.id);
      expect(read.markdown).toContain('\\{% include');
      expect(read.markdown).not.toContain('secret');
    }
    expect(await made.tree('?computed=false')).toMatchObject([{ title: 'One' }, { id, type: 'computed' }]);
    const search = () => made.space.ok<{ items: { id: string }[] }>('/search?query=About%20Two');
    await until(async () => ((await search()).items.some((found) => found.id === two?.id) ? true : undefined));
  });

  test('are updated by the next computation, and stay unchanged if the response is the same', async () => {
    const made = await source.makeSpace();
    await made.insert({ names: ['One'] });
    await made.make();
    const [first] = made.rows();
    const [before] = await made.tree();
    await made.make();

    expect(made.rows()[0]?.version).toBe(first?.version);
    expect((await made.tree())[0]).toEqual(before);
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', first?.version ?? '')).toHaveLength(2);
  });

  test('give the script only dependencies of its own organization', async () => {
    const made = await source.makeSpace();
    const other = await server.makeSpace();
    const dependencies = {
      own: { ref: { kind: 'space', space: made.id } },
      other: { ref: { kind: 'space', space: other.id } },
    };
    await made.insert({ names: ['One'] }, { dependencies });
    await made.make();

    const { markdown } = await made.space.ok<{ markdown: string }>('/content/path/one?format=markdown');
    expect(markdown).toContain(`"id":"${made.id}"`);
    expect(markdown).toContain(`"space":"${other.id}"`);
    expect(markdown).not.toContain(`"id":"${other.id}"`);
  });

  test('stay unchanged if the integration fails; the failure is reported and retried', async () => {
    const made = await source.makeSpace();
    const { told, tell } = await telling();
    await made.insert({ names: ['One'], told });
    await made.make();
    tell({ fails: true });
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      const before = Date.now();
      await made.make();
      const [row] = made.rows();
      expect(row).toMatchObject({ failures, error: expect.stringContaining('not now') });
      waits.push(Math.round(((row?.due_at ?? 0) - before) / 60_000));
    }

    expect(waits).toEqual([1, 2, 4]);
    expect(await made.titles()).toEqual(['One', 'Below One']);
    const path = `/v1/integrations/${source.name}/events`;
    const log = await (await server.request(path, { token: source.owner.token })).json();
    expect(log).toMatchObject({ items: [{ status: 'failed', payload: { type: 'content_compute_revision' } }, {}, {}] });
  });

  test('are removed with the page or the installation, and restored when it returns', async () => {
    const made = await source.makeSpace();
    const id = await made.insert({ names: ['One'] });
    const path = `/v1/integrations/${source.name}/installations/${source.id}`;
    await made.make();
    const due = () => made.rows()[0]?.due_at;
    const before = made.rows()[0]?.version ?? '';

    const off = { token: source.owner.token, method: 'DELETE' };
    expect((await server.request(`${path}/spaces/${made.id}`, off)).status).toBeLessThan(300);
    expect(await made.titles()).toEqual(['Made']);
    await made.make();
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', before)).toEqual([]);
    await installOn(path, source.owner, { space: made.id });
    expect(due()).toBeLessThan(Date.now() + 61_000);
    await made.make();
    expect(await made.titles()).toEqual(['One', 'Below One']);
    const [{ version = '' } = {}] = query<{ version: string }>(
      'SELECT version FROM computed_contents WHERE space = ?',
      made.id,
    );

    await made.space.change([{ operation: 'delete_page', page: id }]);
    await until(async () => {
      await made.make();
      return made.rows().length === 0 ? true : undefined;
    });
    expect(query('SELECT 1 FROM computed_entries WHERE version = ?', version)).toEqual([]);
  });
});

/** Returns the events of a space in the integration's log, each with its trace. */
async function told(space: string): Promise<object[]> {
  const of = async <Body>(path: string): Promise<Body> => {
    const answer = await server.request(`/v1/integrations/${source.name}/events${path}`, { token: source.owner.token });
    return (await answer.json()) as Body;
  };
  const { items } = await of<{ items: { id: string; payload: { spaceId?: string } }[] }>('');
  return Promise.all(items.filter(({ payload }) => payload.spaceId === space).map(({ id }) => of<object>(`/${id}`)));
}

test.each([
  ['is no list of pages', { pages: 'One' }, 'pages'],
  ['has a page without a title', { pages: [{ type: 'document' }] }, 'pages.0.title'],
  ['has a page of another kind', { pages: [{ type: 'computed', title: 'One' }] }, '`pages.0.type` must be document'],
  ['has a link to nowhere', { pages: [{ type: 'link', title: 'One' }] }, 'pages.0.target'],
  [
    'has a link that runs code',
    { pages: [{ type: 'link', title: 'One', target: { kind: 'url', url: 'javascript:alert(1)' } }] },
    'pages.0.target.url',
  ],
  [
    'has a link to what no link leads to',
    { pages: [{ type: 'link', title: 'One', target: { kind: 'user', user: 'usr_1' } }] },
    'pages.0.target.kind',
  ],
  ...['pages', 'slug', 'computed', 'description'].map((key): [string, object, string] => [
    `has a link with ${key}`,
    { pages: [{ type: 'link', title: 'One', target: { kind: 'url', url: 'https://example.com' }, [key]: [] }] },
    `\`pages.0.${key}\` must be left out for a link.`,
  ]),
  ['has files', { pages: [], files: [{ name: 'a.png' }] }, '`files` must be left out'],
  ['has what is no emoji', { pages: [{ type: 'document', title: 'One', emoji: 'One' }] }, 'pages.0.emoji'],
  ['has a page below without a title', { pages: [{ type: 'group', title: 'One', pages: [{}] }] }, 'pages.0.pages.0.t'],
  ['has more pages than may be', { pages: Array(101).fill({ type: 'document', title: 'One' }) }, 'pages'],
  [
    'has more pages below than may be',
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
  const logged = await told(made.id);
  expect(logged).toMatchObject([{ event: { status: 'failed' }, trace: { error: expect.stringContaining(path) } }]);
});

test('an integration that is not installed in the organization cannot compute pages there', async () => {
  const stranger = await server.makeSpace();
  const space = getClient(server, stranger);
  const computed = { type: `integration:${source.name}:pages`, props: { names: ['One'] } };
  await space.change([{ operation: 'insert_computed', title: 'Made', computed }]);
  const row = () =>
    query<ComputedRow>('SELECT error FROM computed_contents WHERE space = ? AND error IS NOT NULL', stranger.id)[0];
  await until(async () => {
    await makeDue();
    return row();
  });

  expect(row()).toMatchObject({ error: expect.stringContaining('No active installation') });
  expect(await space.pages()).toMatchObject([{ title: 'Made', type: 'computed' }]);
});
