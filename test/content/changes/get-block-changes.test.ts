import { beforeAll, expect, test } from 'vitest';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage, type SpaceClient, writePage } from '../space-client.ts';

interface Compared {
  page: string;
  before?: string;
  after?: string;
  blocks: { change: string; before?: string; after?: string; preview?: string; words?: object[] }[];
}

const server = platform({ countsRows: true });
let space: TestSpace;
let client: SpaceClient;
let page: string;
let branch: string;

beforeAll(async () => {
  space = await server.makeSpace();
  client = getClient(server, space);
  [page = ''] = await client.change([
    insertPage('Guide', {
      document: { markdown: 'See [One](https://example.com).\n\nSame.\n\nTwo words.\n\nThree.\n' },
    }),
  ]);
  branch = await client.open();
  await client.change(
    [writePage(page, 'Three.\n\nSee [One](https://example.com).\n\nSame.\n\nTwo new words.\n\nFour.\n')],
    branch,
  );
});

const getPath = () => `/change-requests/${branch}/changes/page/${page}`;

/** Returns the keys of the blocks of a page. */
const getKeys = async (prefix = '') => {
  const { document } = await client.callJson<{ document: { nodes: { key: string }[] } }>(
    `${prefix}/content/page/${page}?format=document`,
  );
  return document.nodes.map(({ key }) => key);
};

test('compares the blocks of a page of a change request with its base', async () => {
  const { blocks, ...documents } = await client.callJson<Compared>(getPath());
  const [former, current] = [await getKeys(), await getKeys(`/change-requests/${branch}`)];

  expect(documents).toEqual({ page, before: expect.any(String), after: expect.any(String) });
  expect(blocks).toEqual([
    { change: 'moved', type: 'paragraph', before: former[3], after: current[0], preview: 'Three.' },
    {
      ...{ change: 'changed', type: 'paragraph', before: former[2], after: current[3] },
      words: [{ text: 'Two ' }, { text: 'new ', change: 'added' }, { text: 'words.' }],
    },
    { change: 'added', type: 'paragraph', after: current[4], preview: 'Four.' },
  ]);
});

test('lists the changes of one page', async () => {
  const other = await client.open();
  await client.change([writePage(page, 'Changed.\n'), insertPage('Another')], other);
  const list = async (search: string) => {
    const path = `/change-requests/${other}/changes?diffs=false${search}`;
    return (await client.callJson<{ changes: { type: string }[] }>(path)).changes.map(({ type }) => type);
  };

  expect((await list('')).toSorted()).toEqual(['page_created', 'page_edited']);
  expect(await list(`&targetPage=${page}`)).toEqual(['page_edited']);
  expect(await list('&targetPage=pg_none')).toEqual([]);
});

test('compares a revision with its parent, or with another revision', async () => {
  const { id: first } = await client.head();
  await client.change([writePage(page, 'One.\n')]);
  await client.change([writePage(page, 'One.\n\nLast.\n')]);
  const { id: last } = await client.head();
  const getChanges = async (search = '') => {
    const { blocks } = await client.callJson<Compared>(`/revisions/${last}/changes/page/${page}${search}`);
    return blocks.map(({ change, preview }) => [change, preview]);
  };

  expect(await getChanges()).toEqual([['added', 'Last.']]);
  expect(await getChanges(`?base=${first}`)).toContainEqual(['removed', 'Three.']);
  expect(await getChanges(`?base=${last}`)).toEqual([]);
});

test('a new page has only added blocks, and a deleted one only removed blocks', async () => {
  const [added = ''] = await client.change([insertPage('New')], branch);
  const [removed = ''] = await client.change([insertPage('Old')]);
  await client.update(branch);
  await client.change([{ operation: 'delete_page', page: removed }], branch);
  const getChanges = async (id: string) =>
    (await client.callJson<Compared>(`/change-requests/${branch}/changes/page/${id}`)).blocks.map(
      ({ change }) => change,
    );

  expect(await getChanges(added)).toEqual(['added']);
  expect(await getChanges(removed)).toEqual(['removed']);
});

test('rejects an unknown page and a revision of another space', async () => {
  const other = await server.makeSpace();
  expect((await client.call(`/change-requests/${branch}/changes/page/pg_none`)).status).toBe(404);
  const { status, body } = await client.call(`${getPath()}?base=${other.revision}`);
  expect([status, body]).toMatchObject([400, { error: { issues: [{ path: 'query.base' }] } }]);
});

test('costs the same in a larger space', async () => {
  const before = (await client.call(getPath())).cost;
  await client.change(Array.from({ length: 20 }, () => insertPage('More')));

  expect((await client.call(getPath())).cost).toEqual(before);
  expect(before.trips).toBe(3);
});

test('is hidden from users who cannot open the space', async () => {
  const stranger = await server.makeUser();
  const reader = await server.makeUser({ organization: space.organization, role: 'read' });
  const getStatus = async (token: string) =>
    (await server.request(`/v1/spaces/${space.id}${getPath()}`, { token })).status;

  expect([await getStatus(stranger.token), await getStatus(reader.token)]).toEqual([404, 200]);
});
