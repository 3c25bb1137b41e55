import { createId } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { getCollections } from '../content/collections/collection-client.ts';
import { readWithCost } from '../support/at-size.ts';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

// Tests lists of 12,000 rows, almost all hidden from the caller. A page ends after 5,000 rows, with a `next` cursor.

const size = 12_000;
const lookedThrough = 5_000;
const rowsPerRow = 10;
const rowsPerRequest = 100;

const server = platform({ countsRows: true });
let organization: TestOrganization;
let reader: TestUser;
const ids = { holder: '', space: '', reviewer: '' };
const seen = { spaces: [] as string[], collections: [] as string[] };

/** Inserts 12,000 rows. `i` is the row number. */
const insertMany = (into: string, values: string) =>
  writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size})
    INSERT INTO ${into} SELECT ${values} FROM n`,
  );

beforeAll(async () => {
  organization = await server.makeOrganization();
  const { id, token } = organization;
  const { make, makeSpace } = getCollections(organization, server);
  ids.reviewer = (await server.makeUser({ organization: id, role: 'review' })).user;
  reader = await server.makeUser({ organization: id, role: 'read' });
  ids.holder = (await make({ title: 'Holder' })).id;
  seen.collections = [ids.holder, (await make()).id, (await make()).id];
  for (let count = 0; count < 3; count += 1) seen.spaces.push((await makeSpace({ parent: ids.holder })).id);
  ids.space = seen.spaces[0] ?? '';
  await json(`/v1/spaces/${ids.space}`, { token, method: 'PATCH', body: { defaultLevel: 'read' } }, server);
  await insertMany(
    'spaces (id, organization, parent, title, emoji, default_level, created_by, created_at, updated_at, position)',
    `printf('spc_%05d', i), '${id}', '${ids.holder}', '', '', 'none', '', 9e12 + i, 1, 'a' || printf('%05d', i)`,
  );
  await insertMany(
    'collections (id, organization, parent, title, default_level, created_by, created_at, position)',
    `printf('col_%05d', i), '${id}', NULL, '', 'none', '', 1, 'a' || printf('%05d', i)`,
  );
  await insertMany('users (id, email, display_name, created_at)', `printf('usr_%05d', i), i || '@p.test', 'P', 1`);
  await insertMany('members (organization, user, role, joined_at)', `'${id}', printf('usr_%05d', i), 'read', 9e12 + i`);
}, 180_000);

interface Page {
  count: number;
  items: { id?: string; space?: { id: string }; user?: { id: string } }[];
  next?: { page: string };
}

/**
 * Reads a list in pages of one item. Returns the ids in order, the number of empty pages, and the maximum number of
 * rows that a page read.
 */
async function walk(path: string, token: string) {
  const ids: (string | undefined)[] = [];
  let [empty, most] = [0, 0];
  let next: string | undefined;
  do {
    const joined = path.includes('?') ? '&' : '?';
    const address = `${path}${joined}limit=1${next === undefined ? '' : `&page=${next}`}`;
    const { body, cost } = await readWithCost<Page>(server, address, token);
    ids.push(...body.items.map(({ id, space, user }) => id ?? space?.id ?? user?.id));
    if (body.count === 0) empty += 1;
    most = Math.max(most, cost.read);
    next = body.next?.page;
  } while (next !== undefined);
  return { found: ids, empty, most };
}

const listNewestFirst = () => seen.spaces.toReversed();
const getMemberPath = () => `/v1/orgs/${organization.id}/members/${reader.user}/spaces`;

describe.each<[string, () => string, () => string[]]>([
  ['the spaces of an organization', () => `/v1/orgs/${organization.id}/spaces`, listNewestFirst],
  ['the spaces of a member', getMemberPath, listNewestFirst],
  ['the spaces of a member, oldest first', () => `${getMemberPath()}?order=asc`, () => seen.spaces],
  ['the spaces of a collection', () => `/v1/collections/${ids.holder}/spaces`, listNewestFirst],
  [
    'the collections of an organization',
    () => `/v1/orgs/${organization.id}/collections`,
    () => seen.collections.toReversed(),
  ],
  [
    'the collections at the top level',
    () => `/v1/orgs/${organization.id}/collections?nested=false`,
    () => seen.collections.toReversed(),
  ],
])('%s visible to a reader among 12,000 hidden ones', (_, path, expected) => {
  test('are returned once each, and no page scans more rows than the limit', async () => {
    const { found, empty, most } = await walk(path(), reader.token);

    expect(found).toEqual(expected());
    expect(empty).toBeGreaterThanOrEqual(2);
    expect(most).toBeLessThanOrEqual(lookedThrough * rowsPerRow + rowsPerRequest);
  });
});

test.each(['spaces', 'collections'])(
  'finds the only user with access to %s and a given role among 12,000',
  async (kind) => {
    const content = kind === 'spaces' ? seen.spaces[1] : ids.holder;

    const { found, empty, most } = await walk(
      `/v1/${kind}/${content}/permissions/aggregate?role=review`,
      organization.token,
    );

    expect(found).toEqual([ids.reviewer]);
    expect(empty).toBeGreaterThanOrEqual(2);
    expect(most).toBeLessThanOrEqual(lookedThrough * rowsPerRow + rowsPerRequest);
  },
);

test('disabled members and trashed spaces count as scanned', async () => {
  await writeDatabase(
    server,
    "UPDATE members SET disabled = 1 WHERE user GLOB 'usr_[0-9][0-9][0-9][0-9][0-9]' AND organization = ?",
    organization.id,
  );
  await writeDatabase(
    server,
    "UPDATE spaces SET deleted_at = 1, default_level = NULL WHERE default_level = 'none' AND organization = ?",
    organization.id,
  );
  const { token } = organization;

  const aggregate = await walk(`/v1/spaces/${ids.space}/permissions/aggregate`, token);
  const spaces = await walk(`/v1/orgs/${organization.id}/spaces`, token);

  expect(aggregate.found).toEqual([reader.user, ids.reviewer, organization.user]);
  expect(spaces.found).toEqual(listNewestFirst());
  for (const { most } of [aggregate, spaces]) {
    expect(most).toBeLessThanOrEqual(lookedThrough * rowsPerRow + rowsPerRequest);
  }
});

test('finds visible content below a hidden collection from its descendants upwards, at a limited cost', async () => {
  const other = await server.makeOrganization();
  const { token } = await server.makeUser({ organization: other.id, role: 'read' });
  const [hidden, opened] = [createId('collection'), createId('space')];
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    INSERT INTO collections (id, organization, parent, title, default_level, created_by, created_at, position)
    SELECT CASE i WHEN 0 THEN ?1 ELSE ?1 || i END, ?2,
      CASE WHEN i BETWEEN 1 AND 10 THEN ?1 WHEN i > 10 THEN ?1 || (i % 10 + 1) END, '', CASE i WHEN 0 THEN 'none' END, '', 1,
      'a' || printf('%05d', i) FROM n`,
    hidden,
    other.id,
  );
  const measureCost = async () =>
    (await readWithCost(server, `/v1/orgs/${other.id}/collections?limit=1`, token)).cost.read;
  expect(await measureCost()).toBeLessThanOrEqual(lookedThrough * 12);
  expect((await server.request(`/v1/collections/${hidden}`, { token })).status).toBe(404);

  await writeDatabase(
    server,
    `INSERT INTO spaces (id, organization, parent, title, emoji, default_level, created_by, created_at, updated_at)
      VALUES (?, ?, ?, '', '', 'read', '', 1, 1)`,
    opened,
    other.id,
    `${hidden}11`,
  );
  const { cost: single } = await readWithCost(server, `/v1/collections/${hidden}`, token);

  expect(single.read).toBeLessThanOrEqual(40);
  const { found } = await walk(`/v1/orgs/${other.id}/collections`, token);
  expect(found).toEqual([hidden, `${hidden}2`, `${hidden}11`]);
});
