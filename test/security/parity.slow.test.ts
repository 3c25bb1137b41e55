import { beforeAll, describe, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, searchSpace } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import { walk } from '../support/paging.ts';
import type { TestOrganization, TestSpace, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { searchOrganization } from '../support/search.ts';

const readers = ['admin', 'create', 'review', 'edit', 'comment', 'read', 'guest', 'stranger'] as const;
const levels = [null, 'none', 'read', 'comment', 'edit', 'review', 'create', 'admin'] as const;

let organization: TestOrganization;
const users = {} as Record<(typeof readers)[number], TestUser>;
const spaces: TestSpace[] = [];

beforeAll(async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  organization = await makeOrganization();
  for (const reader of readers) {
    const role = reader === 'guest' ? (null as unknown as string) : reader;
    users[reader] = await makeUser(reader === 'stranger' ? {} : { organization: organization.id, role });
  }
  const byCreator = await makeSpace({ organization: { ...organization, token: users.create.token } });
  for (const level of levels) spaces.push(await makeSpace({ organization, title: String(level) }));
  for (const [index, space] of [...spaces.entries()]) {
    await json(`/v1/spaces/${space.id}`, {
      token: organization.token,
      method: 'PATCH',
      body: { defaultLevel: levels[index] },
    });
    await makePage(space, 'A page', 'A common word.');
    await makeChangeRequest(space);
  }
  await json(`/v1/spaces/${byCreator.id}`, {
    token: organization.token,
    method: 'PATCH',
    body: { defaultLevel: 'none' },
  });
  spaces.push({ ...byCreator, token: organization.token });
});

/** Returns the pages that a search of the organization finds, by space. */
async function searchAs(user: TestUser): Promise<Record<string, string[]>> {
  const { items } = await searchOrganization({ id: organization.id, token: user.token }, 'common');
  return Object.fromEntries(items.map(({ id, pages }) => [id, pages.map((page) => page.id)]));
}

describe.each(readers)('for the reader class %s', (reader) => {
  const getStatus = async (path: string) => (await platform().request(path, users[reader])).status;

  test('the list of spaces contains exactly the spaces that single reads return', async () => {
    const readable: string[] = [];
    for (const { id } of spaces) if ((await getStatus(`/v1/spaces/${id}`)) === 200) readable.push(id);

    if (reader === 'stranger') {
      expect(readable).toEqual([]);
      expect(await getStatus(`/v1/orgs/${organization.id}/spaces`)).toBe(404);
      return;
    }
    const path = `/v1/orgs/${organization.id}/spaces`;
    const { items } = await json<{ items: { id: string }[] }>(path, users[reader]);

    expect(items.map(({ id }) => id).sort()).toEqual(readable.sort());
    expect((await walk(path, users[reader].token, { limit: 1 })).sort()).toEqual(readable.sort());
    for (const item of items) expect(item).toEqual(await json(`/v1/spaces/${item.id}`, users[reader]));
  });

  test('organization search finds the pages that single reads return', async () => {
    if (reader === 'stranger') {
      expect(await getStatus(`/v1/orgs/${organization.id}/search?query=common`)).toBe(404);
      return;
    }
    const all = await until(async () => {
      const results = await searchAs(users.admin);
      return Object.keys(results).length === levels.length ? results : undefined;
    });
    const readable: Record<string, string[]> = {};
    for (const [space, [page = '', ...more]] of Object.entries(all)) {
      expect(more).toEqual([]);
      if ((await getStatus(`/v1/spaces/${space}/content/page/${page}`)) === 200) readable[space] = [page];
    }

    expect(await searchAs(users[reader])).toEqual(readable);
    const path = `/v1/orgs/${organization.id}/search?query=common`;
    expect((await walk(path, users[reader].token, { limit: 1 })).sort()).toEqual(Object.keys(readable).sort());
  });

  test('tree, search, revision and change requests of a space require read access', async () => {
    for (const { id, revision } of spaces) {
      const expected = await getStatus(`/v1/spaces/${id}`);
      for (const path of [
        '/content',
        '/content/pages',
        '/content/path/a-page',
        '/search?query=common',
        '/change-requests',
        '/change-requests/1',
        '/change-requests/1/content/pages',
        '/change-requests/1/search?query=common',
        `/revisions/${revision}`,
        `/revisions/${revision}/pages`,
      ]) {
        const status = await getStatus(`/v1/spaces/${id}${path}`);
        const isEmpty = spaces.at(-1)?.id === id && /path|change-requests\/1/.test(path);
        expect([path, status]).toEqual([path, isEmpty ? 404 : expected]);
      }
    }
  });
});

test('the default level of a space determines the roles in it, except for admins and the creator', async () => {
  const getPermissions = async (space: TestSpace | undefined, user: TestUser) =>
    (await json<{ permissions: Record<string, boolean> }>(`/v1/spaces/${space?.id}`, user)).permissions;

  expect(await getPermissions(spaces[2], users.create)).toMatchObject({ edit: false, admin: false });
  expect(await getPermissions(spaces[4], users.read)).toMatchObject({ edit: true, merge: false });
  expect(await getPermissions(spaces[1], users.admin)).toMatchObject({ admin: true });
  expect(await getPermissions(spaces.at(-1), users.create)).toMatchObject({ admin: true, merge: true });
});

interface Tree {
  id: string;
  title: string;
  noIndex?: boolean;
  pages?: Tree[];
}
const flattenPages = (pages: Tree[]): Tree[] => pages.flatMap((page) => [page, ...flattenPages(page.pages ?? [])]);

test('search finds the readable pages of the tree, without noIndex pages and their descendants', async () => {
  const space = await platform().makeSpace();
  const open = await makePage(space, 'Open', 'common');
  const off = await makePage(space, 'Off', 'common', { noIndex: true });
  const below = await makePage(space, 'Below', 'common', { into: off });
  await makePage(space, 'Deep', 'common', { into: below });
  await makePage(space, 'Inside', 'common', { into: open });
  const gone = await makePage(space, 'Gone', 'common');
  const searchItems = async () => (await searchSpace(space, 'common')).items;
  const waitForTitles = (count: number) =>
    until(async () => {
      const items = await searchItems();
      return items.length === count ? items.map(({ title }) => title).sort() : undefined;
    });
  await edit(space, [{ operation: 'delete_page', page: gone }]);

  expect(await waitForTitles(2)).toEqual(['Inside', 'Open']);
  const { pages } = await json<{ pages: Tree[] }>(`/v1/spaces/${space.id}/content/pages`, space);
  const listed = flattenPages(pages).filter(({ noIndex }) => noIndex !== true);
  expect(listed.map(({ id }) => id).sort()).toEqual((await searchItems()).map(({ id }) => id).sort());
  for (const { id } of flattenPages(pages)) await json(`/v1/spaces/${space.id}/content/page/${id}`, space);

  await edit(space, [{ operation: 'update_page', page: off, noIndex: false }]);
  expect(await waitForTitles(5)).toEqual(['Below', 'Deep', 'Inside', 'Off', 'Open']);
  await edit(space, [{ operation: 'update_page', page: open, noIndex: true }]);
  expect(await waitForTitles(3)).toEqual(['Below', 'Deep', 'Off']);
});
