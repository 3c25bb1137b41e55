import { beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, getCost, insertPage } from '../space-client.ts';

interface Shown {
  id: string;
  space: { id: string; title: string };
  page?: { id: string; title: string };
  urls: { app: string };
  openedAt?: string;
}

const server = platform({ countsRows: true });
let organization: TestOrganization;
let space: TestSpace;
let user: TestUser;
let page: string;

beforeEach(async () => {
  organization = await server.makeOrganization();
  space = await server.makeSpace({ organization, title: 'Handbook' });
  user = await makeMember(organization);
  [page = ''] = await getClient(server, space).change([insertPage('Guide')]);
});

const getPath = (name: string) => `/v1/user/${name}`;
const list = async (name: string, { token } = user) =>
  (await json<{ items: Shown[] }>(getPath(name), { token }, server)).items;
const add = async (name: string, body: object, { token } = user) =>
  (await server.request(getPath(name), { token, body })).status;

describe.each(['favorites', 'recents'])('%s', (name) => {
  test('contain spaces and pages with their current titles and addresses in the app', async () => {
    expect(await add(name, { space: space.id, page })).toBe(204);
    expect(await add(name, { space: space.id })).toBe(204);
    await getClient(server, space).change([{ operation: 'update_page', page, title: 'New guide' }]);
    const items = await list(name);
    const ofPage = items.find((item) => item.page !== undefined);
    const ofSpace = items.find((item) => item.page === undefined);

    expect(items).toHaveLength(2);
    expect(ofPage).toMatchObject({
      organization: organization.id,
      space: { id: space.id, title: 'Handbook' },
      page: { id: page, title: 'New guide' },
    });
    expect(ofPage?.urls.app).toMatch(new RegExp(`/app/spaces/${space.id}/content/page/${page}$`));
    expect(ofSpace?.urls.app).toMatch(new RegExp(`/app/spaces/${space.id}$`));
    expect(await list(name, organization)).toEqual([]);
  });

  test('omit what the user can no longer open', async () => {
    await add(name, { space: space.id, page });
    await add(name, { space: space.id });
    await getClient(server, space).change([{ operation: 'delete_page', page }]);
    expect((await list(name)).map((item) => item.page)).toEqual([undefined]);

    const setLevel = (defaultLevel: string | null) =>
      json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { defaultLevel } }, server);
    await setLevel('none');
    expect(await list(name)).toEqual([]);
    await setLevel(null);
    expect(await list(name)).toHaveLength(1);
    await server.request(`/v1/spaces/${space.id}`, { token: space.token, method: 'DELETE' });
    expect(await list(name)).toEqual([]);
  });

  test('reject spaces and pages that the user cannot open', async () => {
    const stranger = await server.makeUser();
    expect(await add(name, { space: space.id }, stranger)).toBe(404);
    expect(await add(name, { space: space.id, page: 'pg_none' })).toBe(400);
    expect(await add(name, { page })).toBe(400);
    const other = await server.makeSpace({ organization });
    expect(await add(name, { space: other.id, page })).toBe(400);
    expect(await list(name)).toEqual([]);
  });

  test('cost the same in a larger space', async () => {
    await add(name, { space: space.id, page });
    // The row after the user's last one is also read, so it must exist in both cases.
    await add(name, { space: space.id, page }, organization);
    const read = async () => getCost(await server.request(getPath(name), user));
    const before = await read();
    await getClient(server, space).change(Array.from({ length: 20 }, () => insertPage('More')));
    await getClient(server, space).change([{ operation: 'update_page', page, title: 'Changed' }]);

    expect(await read()).toEqual(before);
    expect(before.trips).toBe(1);
  });
});

test('a token that is bound to an organization changes only favorites of it', async () => {
  const bound = await json<{ id: string; token: string }>(
    '/v1/user/tokens',
    { token: user.token, body: { label: 'Bound' } },
    server,
  );
  const other = await server.makeOrganization();
  const bind = (id: string) => writeDatabase(server, 'UPDATE tokens SET organization = ? WHERE id = ?', id, bound.id);
  await add('favorites', { space: space.id });
  const [favorite] = await list('favorites');
  const send = async (options: object) =>
    (await server.request(`/v1/user/favorites/${favorite?.id}`, { token: bound.token, ...options })).status;

  await bind(other.id);
  await writeDatabase(
    server,
    "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'read', 1)",
    other.id,
    user.user,
  );
  expect(await send({ method: 'PATCH', body: { at: 0 } })).toBe(404);
  expect(await send({ method: 'DELETE' })).toBe(404);
  expect(await list('favorites')).toHaveLength(1);
  await bind(organization.id);
  expect(await send({ method: 'PATCH', body: { at: 0 } })).toBe(204);
  expect(await send({ method: 'DELETE' })).toBe(205);
});

describe('the order of favorites', () => {
  test('is that in which they were added, until they are moved or removed', async () => {
    const pages = await getClient(server, space).change(['One', 'Two', 'Three'].map((title) => insertPage(title)));
    for (const id of pages) expect(await add('favorites', { space: space.id, page: id })).toBe(204);
    const [one, two, three] = pages;
    expect(await add('favorites', { space: space.id, page: one })).toBe(204);
    const listPages = async () => (await list('favorites')).map((item) => item.page?.id);
    expect(await listPages()).toEqual([one, two, three]);
    const change = async (id: string | undefined, options: object, by = user) => {
      const favorite = (await list('favorites')).find((item) => item.page?.id === id);
      return (await server.request(`/v1/user/favorites/${favorite?.id}`, { token: by.token, ...options })).status;
    };

    const move = (id: string | undefined, at: number, by = user) => change(id, { method: 'PATCH', body: { at } }, by);
    expect(await move(three, 0)).toBe(204);
    expect(await listPages()).toEqual([three, one, two]);
    expect(await move(three, 1)).toBe(204);
    expect(await listPages()).toEqual([one, three, two]);
    expect(await move(one, 100)).toBe(204);
    expect(await listPages()).toEqual([three, two, one]);
    expect(await move(three, 1, organization)).toBe(404);
    expect(await change(two, { method: 'DELETE' }, organization)).toBe(404);
    expect(await change(two, { method: 'DELETE' })).toBe(205);
    expect(await change(two, { method: 'DELETE' })).toBe(404);
    expect(await listPages()).toEqual([three, one]);
  });
});

describe('a user with 100 favorites', () => {
  /** Adds favorites of pages at the end. */
  const insert = (ofSpace: string, pages: string[]) =>
    writeDatabase(
      server,
      `INSERT INTO favorites (id, user, space, page, position)
       SELECT 'fav_' || value, ?1, ?2, value, (SELECT COUNT(*) FROM favorites WHERE user = ?1) + key FROM json_each(?3)`,
      ...[user.user, ofSpace, JSON.stringify(pages)],
    );
  const insertPages = async (count: number): Promise<string[]> => {
    const some = Array.from({ length: Math.min(count, 50) }, (_, n) => insertPage(`Page ${n}`));
    const ids = await getClient(server, space).change(some);
    return count > some.length ? [...ids, ...(await insertPages(count - some.length))] : ids;
  };
  const readStored = () =>
    query<{ page: string }>('SELECT page FROM favorites WHERE user = ? ORDER BY position', user.user);

  test('cannot add others, but those that exist', async () => {
    await insert(space.id, await insertPages(99));

    expect(await add('favorites', { space: space.id })).toBe(204);
    expect(await add('favorites', { space: space.id, page })).toBe(409);
    expect(await add('favorites', { space: space.id })).toBe(204);
    expect(readStored()).toHaveLength(100);
  });

  test('can replace those of deleted pages, of spaces that no longer exist or are in the trash, and without access', async () => {
    const [deleted = '', ...pages] = await insertPages(96);
    const [trashed, hidden] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
    await insert('spc_gone', ['pg_gone']);
    await insert(space.id, [deleted, ...pages]);
    for (const { id } of [trashed, hidden]) expect(await add('favorites', { space: id })).toBe(204);
    expect(await add('favorites', { space: space.id })).toBe(204);
    await getClient(server, space).change([{ operation: 'delete_page', page: deleted }]);
    await server.request(`/v1/spaces/${trashed.id}`, { token: organization.token, method: 'DELETE' });
    const setLevel = (defaultLevel: string | null) =>
      json(`/v1/spaces/${hidden.id}`, { token: organization.token, method: 'PATCH', body: { defaultLevel } }, server);
    await setLevel('none');
    expect(readStored()).toHaveLength(100);
    expect(await list('favorites')).toHaveLength(96);

    const others = await insertPages(4);
    for (const other of others.slice(0, 3)) expect(await add('favorites', { space: space.id, page: other })).toBe(204);

    expect(readStored()).toHaveLength(100);
    await setLevel(null);
    // The space that is hidden last is still a favorite.
    expect((await list('favorites')).filter((item) => item.space.id === hidden.id)).toHaveLength(1);
    expect(await add('favorites', { space: space.id, page: others[3] })).toBe(409);
    await setLevel('none');
    expect(await add('favorites', { space: space.id, page: others[3] })).toBe(204);
    expect(await list('favorites')).toHaveLength(100);
  });
});

test('the last 100 spaces and pages are stored, the last opened first', async () => {
  await writeDatabase(
    server,
    `INSERT INTO recents (user, space, page, opened_at)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100) SELECT ?1, ?2, n, n FROM n`,
    user.user,
    space.id,
  );
  await add('recents', { space: space.id });
  await add('recents', { space: space.id, page });
  const [{ count, oldest } = {}] = query(
    'SELECT COUNT(*) AS count, MIN(opened_at) AS oldest FROM recents WHERE user = ?',
    user.user,
  );
  expect([count, oldest]).toEqual([100, 3]);
  expect((await list('recents')).map((item) => item.page?.id)).toEqual([page, undefined]);

  await writeDatabase(server, 'UPDATE recents SET opened_at = opened_at - 61000 WHERE user = ?', user.user);
  await add('recents', { space: space.id });
  expect((await list('recents')).map((item) => item.page?.id)).toEqual([undefined, page]);
});
