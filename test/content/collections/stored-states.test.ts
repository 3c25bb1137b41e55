import { createId } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCollections, getCost } from './collection-client.ts';

// These states are written directly to the database: grants, invites, and siblings with equal positions as in old data.

const server = platform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await server.makeOrganization();
});

const writeDirectly = (statement: string, ...values: (string | number | null)[]) =>
  writeDatabase(server, statement, ...values);

test('a transfer removes the grants and invites of the old organization', async () => {
  const { make, makeSpace, transfer } = getCollections(organization, server);
  const outer = await make();
  const inner = await make({ parent: outer.id });
  const space = await makeSpace({ parent: inner.id });
  const visitor = await server.makeUser({ organization: organization.id, role: null as unknown as string });
  for (const { id } of [outer, inner, space]) {
    const grant = "INSERT INTO grants (object, subject, organization, role) VALUES (?, ?, ?, 'edit')";
    await writeDirectly(grant, id, visitor.user, organization.id);
    const invite =
      'INSERT INTO invites (id, organization, object, role, created_by, created_at) VALUES (?, ?, ?, ?, ?, 1)';
    await writeDirectly(invite, createId('invite'), organization.id, id, 'read', organization.user);
  }
  const response = await server.request('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
  const { id: to } = (await response.json()) as { id: string };
  await writeDirectly(
    'INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, NULL, 1)',
    to,
    visitor.user,
  );

  expect((await transfer(outer.id, to)).status).toBe(200);

  for (const table of ['grants', 'invites']) {
    const count = `SELECT COUNT(*) AS n FROM ${table} WHERE object IN (?, ?, ?)`;
    expect(queryDatabase(server.dataDir, count, outer.id, inner.id, space.id)).toEqual([{ n: 0 }]);
  }
  const seen = getCollections({ id: to, token: visitor.token }, server);
  expect([await seen.list(), await seen.spaces()]).toEqual([[], []]);
  expect(queryDatabase(server.dataDir, 'SELECT spaces FROM members WHERE user = ?', visitor.user)).toEqual([
    { spaces: 0 },
    { spaces: 0 },
  ]);
});

test('siblings with equal positions get distinct ones when a collection moves between them', async () => {
  const { make, makeSpace, move, list, spacesIn } = getCollections(organization, server);
  const { id: parent } = await make();
  const tied = [];
  for (const title of ['A', 'B', 'C', 'D']) tied.push(await make({ title, parent }));
  const space = await makeSpace({ title: 'S', parent });
  await writeDirectly("UPDATE collections SET position = 'a5' WHERE parent = ?", parent);
  await writeDirectly("UPDATE spaces SET position = 'a5' WHERE parent = ?", parent);
  const listSiblings = async () => (await list()).filter((item) => item.parent === parent).map(({ id }) => id);
  const [first = '', second = '', third = '', last = ''] = await listSiblings();

  const toCollection = (collection: string) => ({ type: 'collection', collection });
  expect((await move(last, { position: { after: toCollection(first), before: toCollection(second) } })).status).toBe(
    200,
  );

  expect(await listSiblings()).toEqual([first, last, second, third]);
  expect(tied.map(({ id }) => id).sort()).toEqual([first, second, third, last].sort());
  expect((await spacesIn(parent)).map(({ id }) => id)).toEqual([space.id]);
  const positions = queryDatabase(
    server.dataDir,
    'SELECT position FROM collections WHERE parent = ? UNION SELECT position FROM spaces WHERE parent = ?',
    parent,
    parent,
  );
  expect(positions).toHaveLength(5);
});

/** Makes the siblings A, B, ... at the given positions in a new collection. */
async function makeSiblings(positions: string[]) {
  const client = getCollections(organization, server);
  const { id: parent } = await client.make();
  const ids: string[] = [];
  for (const [index, position] of positions.entries()) {
    const { id } = await client.make({ title: String.fromCharCode(65 + index), parent });
    await writeDirectly('UPDATE collections SET position = ? WHERE id = ?', position, id);
    ids.push(id);
  }
  const readRows = () =>
    queryDatabase<{ id: string; title: string; position: string }>(
      server.dataDir,
      'SELECT id, title, position FROM collections WHERE parent = ?1 UNION SELECT id, title, position FROM spaces WHERE parent = ?1 ORDER BY position, id',
      parent,
    );
  return {
    ...client,
    parent,
    ids,
    rows: readRows,
    order: () =>
      readRows()
        .map(({ title }) => title)
        .join(''),
  };
}

const createPointer = (collection: string | undefined) => ({ type: 'collection', collection });

test('assigns new positions only to nearby siblings if positions get too long', async () => {
  const dense = `a1${'0'.repeat(58)}`;
  const { move, ids, rows, order } = await makeSiblings(['a1', `${dense}1`, `${dense}2`, 'a3', 'a4', 'a5']);
  const before = new Map(rows().map(({ id, position }) => [id, position]));
  const [a, , , , , f = ''] = ids;

  const response = await move(f, { position: { after: createPointer(a) } });

  expect(response.status).toBe(200);
  expect(getCost(response).trips).toBeLessThanOrEqual(8);
  expect(order()).toBe('AFBCDE');
  const changed = rows().filter(({ id, position }) => position !== before.get(id));
  expect(changed.map(({ title }) => title)).toEqual(['F', 'B', 'C']);
  for (const { id, position } of changed) {
    expect(position.length).toBeLessThanOrEqual(48);
    if (id !== f) expect(position > (before.get(id) ?? '')).toBe(true);
  }
});

test('repeated moves to one position keep positions short', async () => {
  const { move, ids, rows, order } = await makeSiblings(['a1', `a1${'0'.repeat(50)}1`, 'a3', 'a4']);
  const [a, b = '', c = ''] = ids;
  for (let round = 0; round < 8; round += 1) {
    const [id, other] = round % 2 === 0 ? [c, b] : [b, c];
    expect((await move(id, { position: { after: createPointer(a), before: createPointer(other) } })).status).toBe(200);
  }

  expect(order()).toBe('ABCD');
  for (const { position } of rows()) expect(position.length).toBeLessThanOrEqual(64);
});

test.each([199, 300])(
  'assigns new positions when a space moves between %i siblings with the same position',
  async (count) => {
    const { move, parent, rows, ids } = await makeSiblings(['a5', 'a6', 'a7']);
    await writeDirectly(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO spaces (id, organization, parent, title, emoji, created_by, created_at, updated_at, position)
    SELECT printf('spc_%s_%04d', ?2, i), ?3, ?2, '', '', '', 1, 1, 'a5' FROM n`,
      count,
      parent,
      organization.id,
    );
    const before = rows().filter(({ id }) => id !== ids[2]);
    const [space = ''] = before.map(({ id }) => id).filter((id) => id.startsWith('spc_'));

    const response = await move(ids[2] ?? '', { position: { after: { type: 'space', space } } });

    expect(response.status).toBe(200);
    const after = rows();
    const at = before.findIndex(({ id }) => id === space) + 1;
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id).toSpliced(at, 0, ids[2] ?? ''));
    expect(new Set(after.slice(at - 1).map(({ position }) => position)).size).toBe(after.length - at + 1);
    expect(after.at(-1)).toMatchObject({ id: ids[1], position: 'a6' });
  },
);

test('pagination misses none of the siblings that get new positions in the meantime', async () => {
  const { move, ids } = await makeSiblings(['a1', 'a1', 'aA', 'aC', 'aE', 'aG', 'aI', 'aK']);
  const readPage = (query: string) =>
    json<{ items: { id: string; parent?: string }[]; next?: { page: string } }>(
      `/v1/orgs/${organization.id}/collections?${query}`,
      organization,
      server,
    );
  const [first = '', second] = [...ids.slice(0, 2)].sort();
  const seen: string[] = [];
  let walked = await readPage('limit=1');
  for (let moved = false; ; walked = await readPage(`limit=1&page=${walked.next.page}`)) {
    seen.push(...walked.items.map(({ id }) => id));
    if (!moved && seen.includes(ids[3] ?? '')) {
      moved = true;
      const position = { after: createPointer(first), before: createPointer(second) };
      expect((await move(ids[7] ?? '', { position })).status).toBe(200);
    }
    if (walked.next === undefined) break;
  }

  expect(ids.slice(0, 7).filter((id) => !seen.includes(id))).toEqual([]);
});
