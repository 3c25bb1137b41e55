import { beforeAll, describe, expect, test } from 'vitest';
import { expectPaging } from '../../support/paging.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, getCost, insertPage, type SpaceClient, writePage } from '../space-client.ts';

interface Summary {
  object: string;
  id: string;
  type: string;
  summary: string;
  author: { id: string };
  createdAt: string;
  changeRequest?: { id: string; number: number; subject: string };
}

const server = platform({ countsRows: true });
let space: TestSpace;
let client: SpaceClient;
let author: string;
let branch: string;

const list = async (path = '') => (await client.callJson<{ items: Summary[] }>(`${path}/revisions`)).items;

beforeAll(async () => {
  const organization = await server.makeOrganization();
  author = organization.user;
  space = await server.makeSpace({ organization });
  client = getClient(server, space);
  branch = await client.open();
});

test('can be limited to those that changed a page', async () => {
  const [page = ''] = await client.change([insertPage('Watched')]);
  const change = async (changes: Parameters<typeof client.change>[0]) => {
    await client.change(changes);
    return (await client.head()).id;
  };
  const inserted = (await client.head()).id;
  await client.change([insertPage('Other')]);
  const written = await change([writePage(page, 'New.\n')]);
  const deleted = await change([{ operation: 'delete_page', page }]);
  const path = `/revisions?targetPage=${page}`;
  const listIds = async (search = '') =>
    (await client.callJson<{ items: Summary[] }>(`${path}${search}`)).items.map(({ id }) => id);

  expect(await listIds()).toEqual([deleted, written, inserted]);
  const first = await client.callJson<{ next: { page: string } }>(`${path}&limit=1`);
  expect(await listIds(`&limit=1&page=${first.next.page}`)).toEqual([written]);
  expect((await client.call(path)).cost).toEqual({
    trips: 1,
    sequentialTrips: 1,
    read: expect.any(Number),
    written: 0,
  });
  expect((await client.call<{ items: unknown[] }>('/revisions?targetPage=pg_none')).body.items).toEqual([]);
});

test('a change request without changes has no revisions', async () => {
  expect(await list(`/change-requests/${branch}`)).toEqual([]);
});

describe.each([
  ['live content', () => undefined],
  ['a change request', () => branch],
])('the revisions of %s', (_, getBranch) => {
  const getPath = () => (getBranch() === undefined ? '' : `/change-requests/${getBranch()}`);

  test('are listed newest first, with their authors', async () => {
    const before = await list(getPath());
    await client.change([insertPage('One')], getBranch());
    await client.change([insertPage('Two')], getBranch());
    const [newest, ...others] = await list(getPath());

    const { id, ...head } = await client.callJson<Summary>(`${getPath()}/content`);
    expect(newest).toMatchObject({ object: 'revision-summary', id, type: 'edits', createdAt: head.createdAt });
    expect(newest).toMatchObject({ author: { object: 'user', id: author } });
    expect(newest).toMatchObject({ parents: [expect.any(String)] });
    expect(newest).not.toHaveProperty('changeRequest');
    expect(others.slice(1)).toEqual(before);
  });

  test('can be paged', async () => {
    await client.change([insertPage('Three')], getBranch());
    const add = () => client.change([insertPage('More')], getBranch());

    await expectPaging(`/v1/spaces/${space.id}${getPath()}/revisions`, space.token, add, server);
  });

  test('cost the same in a longer history', async () => {
    const path = `${getPath()}/revisions?limit=2`;
    const before = await client.call(path);
    for (let number = 0; number < 20; number += 1) await client.change([insertPage('Later')], getBranch());

    expect((await client.call(path)).cost).toEqual(before.cost);
    expect(before.cost.trips).toBe(1);
  });

  test('are not read for callers without access', async () => {
    const { token } = await server.makeOrganization();
    const path = `/v1/spaces/${space.id}${getPath()}/revisions`;
    const countRows = async () => getCost(await server.request(path, { token })).read;
    const before = await countRows();
    for (let number = 0; number < 5; number += 1) await client.change([insertPage('Later')], getBranch());

    expect(await countRows()).toBe(before);
  });

  test('are hidden from members who cannot edit', async () => {
    const getStatus = async (role: string) => {
      const { token } = await server.makeUser({ organization: space.organization, role });
      return (await server.request(`/v1/spaces/${space.id}${getPath()}/revisions`, { token })).status;
    };

    expect([await getStatus('read'), await getStatus('comment'), await getStatus('edit')]).toEqual([403, 403, 200]);
  });
});

test('the revisions of a change request are listed by its number too', async () => {
  const revisions = await list(`/change-requests/${branch}`);

  expect(revisions.length).toBeGreaterThan(0);
  expect(await list('/change-requests/1')).toEqual(revisions);
});

test('a merge revision names its change request', async () => {
  const { body } = await client.merge(branch);
  const [merge] = await list();

  expect(merge).toMatchObject({ id: body.revision, type: 'merge', summary: 'A change' });
  expect(merge?.changeRequest).toEqual({ id: branch, number: 1, subject: 'A change' });
});
