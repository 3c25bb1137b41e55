import { newId } from '@octavo/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { collectionsOf } from './collection-client.ts';

// States that are written past the API: grants and invites, and siblings at one position as old data may have them.

let server: OwnPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  server = await ownPlatform();
  organization = await server.makeOrganization();
});
afterAll(() => server?.remove());

const past = (statement: string, ...values: (string | number | null)[]) =>
  writePast(server.dataDir, statement, ...values);

test('a transfer takes the grants and the invites of the old organization away', async () => {
  const { make, makeSpace, transfer } = collectionsOf(organization, server);
  const outer = await make();
  const inner = await make({ parent: outer.id });
  const space = await makeSpace({ parent: inner.id });
  const visitor = await server.makeUser({ organization: organization.id, role: null as unknown as string });
  for (const { id } of [outer, inner, space]) {
    const grant = "INSERT INTO grants (object, subject, organization, role) VALUES (?, ?, ?, 'edit')";
    past(grant, id, visitor.user, organization.id);
    const invite =
      'INSERT INTO invites (id, organization, object, role, created_by, created_at) VALUES (?, ?, ?, ?, ?, 1)';
    past(invite, newId('invite'), organization.id, id, 'read', organization.user);
  }
  const answer = await server.request('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
  const { id: to } = (await answer.json()) as { id: string };
  past('INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, NULL, 1)', to, visitor.user);

  expect((await transfer(outer.id, to)).status).toBe(200);

  for (const table of ['grants', 'invites']) {
    const count = `SELECT COUNT(*) AS n FROM ${table} WHERE object IN (?, ?, ?)`;
    expect(readPast(server.dataDir, count, outer.id, inner.id, space.id)).toEqual([{ n: 0 }]);
  }
  const seen = collectionsOf({ id: to, token: visitor.token }, server);
  expect([await seen.list(), await seen.spaces()]).toEqual([[], []]);
  expect(readPast(server.dataDir, 'SELECT spaces FROM members WHERE user = ?', visitor.user)).toEqual([
    { spaces: 0 },
    { spaces: 0 },
  ]);
});

test('siblings that stand at one position are told apart when something is moved between them', async () => {
  const { make, makeSpace, move, list, spacesIn } = collectionsOf(organization, server);
  const { id: parent } = await make();
  const tied = [];
  for (const title of ['A', 'B', 'C', 'D']) tied.push(await make({ title, parent }));
  const space = await makeSpace({ title: 'S', parent });
  past("UPDATE collections SET position = 'a5' WHERE parent = ?", parent);
  past("UPDATE spaces SET position = 'a5' WHERE parent = ?", parent);
  const siblings = async () => (await list()).filter((item) => item.parent === parent).map(({ id }) => id);
  const [first = '', second = '', third = '', last = ''] = await siblings();

  const pointer = (collection: string) => ({ type: 'collection', collection });
  expect((await move(last, { position: { after: pointer(first), before: pointer(second) } })).status).toBe(200);

  expect(await siblings()).toEqual([first, last, second, third]);
  expect(tied.map(({ id }) => id).sort()).toEqual([first, second, third, last].sort());
  expect((await spacesIn(parent)).map(({ id }) => id)).toEqual([space.id]);
  const positions = readPast(
    server.dataDir,
    'SELECT position FROM collections WHERE parent = ? UNION SELECT position FROM spaces WHERE parent = ?',
    parent,
    parent,
  );
  expect(positions).toHaveLength(5);
});
