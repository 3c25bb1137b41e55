import { createId } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { TestItem } from './collection-client.ts';
import { getCollections, getCost, getIds } from './collection-client.ts';

// Grants and teams are written directly to the database, because these tests only need readers with different access.

const guest = null as unknown as string;

const server = platform({ countsRows: true });
let organization: TestOrganization;
const collections: string[] = [];
const spaces: string[] = [];
const readers: Record<string, TestUser> = {};

const writeDirectly = (statement: string, ...values: (string | number | null)[]) =>
  writeDatabase(server, statement, ...values);

const grant = (object: string, subject: string, role: string | null) =>
  writeDirectly(
    'INSERT INTO grants (object, subject, organization, role) VALUES (?, ?, ?, ?)',
    object,
    subject,
    organization.id,
    role,
  );

const join = (team: string, user: string) =>
  writeDirectly('INSERT INTO team_members (team, user, organization) VALUES (?, ?, ?)', team, user, organization.id);

const levels = [null, 'none', null, 'edit', null, 'none', 'read', null, 'create'];

/** Makes collections four levels deep with two spaces in each, and default levels that alternately grant and hide. */
async function makeTree() {
  const { make, makeSpace, patch } = getCollections(organization, server);
  const hide = async (path: string, defaultLevel: string | null | undefined) =>
    json(path, { token: organization.token, method: 'PATCH', body: { defaultLevel: defaultLevel ?? null } }, server);
  for (let index = 0; index < 14; index += 1) {
    const parent = collections[Math.floor((index - 2) / 2)];
    const { id } = await make(parent === undefined ? {} : { parent });
    await patch(id, { defaultLevel: levels[index % levels.length] ?? null });
    collections.push(id);
    for (const offset of [1, 4]) {
      const space = await makeSpace({ parent: id });
      await hide(`/v1/spaces/${space.id}`, levels[(index * 2 + offset) % levels.length]);
      spaces.push(space.id);
    }
  }
  for (const level of [null, 'none', 'read']) {
    const space = await makeSpace();
    await hide(`/v1/spaces/${space.id}`, level);
    spaces.push(space.id);
  }
}

async function makeReaders() {
  const { makeUser } = server;
  const makeMember = (role: string) => makeUser({ organization: organization.id, role });
  const team = createId('team');
  await writeDirectly(
    'INSERT INTO teams (id, organization, title, created_at) VALUES (?, ?, ?, 1)',
    team,
    organization.id,
    'A team',
  );
  const getItem = (list: string[], index: number) => list[index] ?? '';
  readers.admin = await makeMember('admin');
  readers.creator = await makeMember('create');
  readers.reader = await makeMember('read');
  readers['reader without access to some content'] = await makeMember('read');
  readers['guest without grants'] = await makeMember(guest);
  readers['guest on a space'] = await makeMember(guest);
  readers['guest on a collection'] = await makeMember(guest);
  readers['guest through a team'] = await makeMember(guest);
  readers['reader through a team'] = await makeMember('read');
  const getId = (name: string) => readers[name]?.user ?? '';
  await grant(getItem(collections, 0), getId('reader without access to some content'), null);
  await grant(getItem(spaces, 28), getId('reader without access to some content'), null);
  await grant(getItem(spaces, 20), getId('guest on a space'), 'read');
  await grant(getItem(spaces, 29), getId('guest on a space'), 'edit');
  await grant(getItem(collections, 1), getId('guest on a collection'), 'create');
  await grant(getItem(collections, 4), getId('guest on a collection'), null);
  await grant(getItem(collections, 3), team, 'comment');
  await grant(getItem(spaces, 24), team, 'review');
  await join(team, getId('guest through a team'));
  await join(team, getId('reader through a team'));
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  await makeTree();
  await makeReaders();
});

/** Returns the objects that a reader can get, each from a separate request. */
async function readEach(paths: string[], token: string): Promise<Map<string, TestItem>> {
  const items = new Map<string, TestItem>();
  for (const path of paths) {
    const response = await server.request(path, { token });
    expect([200, 404]).toContain(response.status);
    if (response.status === 200) items.set(path.split('/').at(-1) ?? '', (await response.json()) as TestItem);
  }
  return items;
}

const names = [
  'admin',
  'creator',
  'reader',
  'reader without access to some content',
  'guest without grants',
  'guest on a space',
  'guest on a collection',
  'guest through a team',
  'reader through a team',
];

describe.each(names)('for the %s', (name) => {
  let single: { collections: Map<string, TestItem>; spaces: Map<string, TestItem> };
  let client: ReturnType<typeof getCollections>;

  beforeAll(async () => {
    const token = readers[name]?.token ?? '';
    client = getCollections({ id: organization.id, token }, server);
    single = {
      collections: await readEach(
        collections.map((id) => `/v1/collections/${id}`),
        token,
      ),
      spaces: await readEach(
        spaces.map((id) => `/v1/spaces/${id}`),
        token,
      ),
    };
  });

  test('lists return the same as single reads, in order', async () => {
    const { list, spaces: listSpaces } = client;
    const [listed, top, listedSpaces] = [await list(), await list('nested=false&'), await listSpaces()];

    expect(getIds(listed)).toEqual([...single.collections.keys()].sort());
    expect(getIds(listedSpaces)).toEqual([...single.spaces.keys()].sort());
    for (const item of listed) expect(item).toEqual(single.collections.get(item.id));
    for (const item of listedSpaces) expect(item).toEqual(single.spaces.get(item.id));
    expect(top).toEqual(listed.filter(({ parent }) => parent === undefined));
  });

  test('the list of a collection contains exactly the spaces that single reads return', async () => {
    for (const id of collections) {
      if (!single.collections.has(id)) {
        expect(await client.status(`/v1/collections/${id}/spaces`)).toBe(404);
        continue;
      }
      const inside = [...single.spaces.values()].filter(({ parent }) => parent === id);
      expect(getIds(await client.spacesIn(id))).toEqual(getIds(inside));
      for (const item of await client.spacesIn(id)) expect(item).toEqual(single.spaces.get(item.id));
    }
  });

  test('the parents of every visible space and collection are visible', () => {
    for (const { parent } of [...single.spaces.values(), ...single.collections.values()]) {
      if (parent !== undefined) expect([...single.collections.keys()]).toContain(parent);
    }
  });
});

test('the readers can see different numbers of collections and spaces', async () => {
  const counts = [];
  for (const name of names) {
    const client = getCollections({ id: organization.id, token: readers[name]?.token ?? '' }, server);
    counts.push([(await client.list()).length, (await client.spaces()).length]);
  }

  expect(counts[0]).toEqual([collections.length, spaces.length]);
  expect(counts[4]).toEqual([0, 0]);
  expect(new Set(counts.map(String)).size).toBeGreaterThanOrEqual(7);
});

test('a token bound to another organization gets empty lists', async () => {
  const other = await server.makeOrganization();
  const user = await server.makeUser({ organization: organization.id, role: 'admin' });
  await writeDirectly(
    'INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, NULL, 1)',
    other.id,
    user.user,
  );
  await writeDirectly('UPDATE tokens SET organization = ? WHERE user = ?', other.id, user.user);
  const { status } = getCollections({ id: organization.id, token: user.token }, server);

  for (const path of [`/v1/orgs/${organization.id}/collections`, `/v1/collections/${collections[0]}/spaces`]) {
    expect(await status(path)).toBe(404);
  }
});

test('hidden content does not increase the cost of lists for a guest', async () => {
  const { token } = readers['guest on a space'] ?? { token: '' };
  const paths = ['spaces', 'collections', 'collections?nested=false'].map(
    (path) => `/v1/orgs/${organization.id}/${path}`,
  );
  const measureCosts = async () =>
    Promise.all(paths.map(async (path) => getCost(await server.request(path, { token }))));
  const before = await measureCosts();

  await writeDirectly(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO spaces (id, organization, parent, title, emoji, created_by, created_at, updated_at, position)
    SELECT 'spc_many' || i, ?, NULL, '', '', '', ? + i, 1, 'a' || (i % 10) FROM n`,
    organization.id,
    Date.now(),
  );
  await writeDirectly(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO collections (id, organization, title, created_by, created_at, position)
    SELECT 'col_many' || i, ?, '', '', 1, 'a' || (i % 10) FROM n`,
    organization.id,
  );

  expect(await measureCosts()).toEqual(before);
});
