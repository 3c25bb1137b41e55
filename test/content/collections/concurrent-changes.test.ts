import { beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

// Tests changes between a request's authorization and its write. The first use of a token is recorded between the two,
// so a trigger on this update simulates a concurrent caller.

const server = platform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await server.makeOrganization();
});

/** Returns a client whose first call runs the SQL in `change` right after it is authorized. */
async function interruptChange(change: string) {
  const { token, user } = await server.makeUser({ organization: organization.id, role: 'admin' });
  const trigger = `meanwhile_${user}`;
  await writeDatabase(
    server,
    `CREATE TRIGGER ${trigger} AFTER UPDATE OF last_used_at ON tokens WHEN new.user = '${user}' BEGIN ${change}; END`,
  );
  return { ...getCollections({ id: organization.id, token }, server), user };
}

const remove = (id: string) => `UPDATE collections SET deleted_at = 1 WHERE id = '${id}'`;
const put = (id: string, parent: string) => `UPDATE collections SET parent = '${parent}' WHERE id = '${id}'`;

const getChildren = (parent: string) =>
  queryDatabase(
    server.dataDir,
    'SELECT id FROM collections WHERE parent = ? UNION ALL SELECT id FROM spaces WHERE parent = ?',
    parent,
    parent,
  );

test('creates nothing in a parent that is deleted during the request', async () => {
  const { make } = getCollections(organization, server);
  const [one, other] = [await make(), await make()];

  await expect((await interruptChange(remove(one.id))).make({ parent: one.id })).rejects.toThrow('answered 404');
  await expect((await interruptChange(remove(other.id))).makeSpace({ parent: other.id })).rejects.toThrow(
    'answered 404',
  );

  expect([...getChildren(one.id), ...getChildren(other.id)]).toEqual([]);
});

test('moves nothing if the new parent or the collection itself is deleted during the request', async () => {
  const { make, get } = getCollections(organization, server);
  const [moved, target, gone] = [await make(), await make(), await make()];

  const into = await (await interruptChange(remove(target.id))).move(moved.id, { parent: target.id });
  const itself = await (await interruptChange(remove(gone.id))).move(gone.id, { parent: moved.id });

  expect([into.status, itself.status]).toEqual([404, 404]);
  expect(await get(moved.id)).toEqual(moved);
  expect(getChildren(moved.id)).toEqual([]);
});

test('refuses a move that would create a cycle with a concurrent one', async () => {
  const { make, move } = getCollections(organization, server);
  const [one, other] = [await make(), await make()];

  const response = await (await interruptChange(put(other.id, one.id))).move(one.id, { parent: other.id });

  expect(response.status).toBe(409);
  expect((await move(other.id, { parent: null })).status).toBe(200);
});

test('a reorder keeps the new parent of a collection that was moved during the request', async () => {
  const { make, get, list } = getCollections(organization, server);
  const [from, to] = [await make(), await make()];
  const moved = await make({ parent: from.id });
  const sibling = await make({ parent: to.id });

  const response = await (await interruptChange(put(moved.id, to.id))).move(moved.id);

  expect(response.status).toBe(200);
  expect(await get(moved.id)).toMatchObject({ parent: to.id });
  const inside = (await list()).filter(({ parent }) => parent === to.id);
  expect(inside.map(({ id }) => id)).toEqual([sibling.id, moved.id]);
});

test('returns 404 for updates, deletes and transfers of a collection that is deleted during the request', async () => {
  const { make } = getCollections(organization, server);
  const [one, two, three] = [await make({ title: 'Old' }), await make(), await make()];
  const response = await server.request('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
  const { id: to } = (await response.json()) as { id: string };

  const changed = await (await interruptChange(remove(one.id))).patch(one.id, { title: 'New' });
  const deleted = await (await interruptChange(remove(two.id))).remove(two.id);
  const client = await interruptChange(remove(three.id));
  await writeDatabase(
    server,
    "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)",
    to,
    client.user,
  );
  const transferred = await client.transfer(three.id, to);

  expect([changed.status, deleted.status, transferred.status]).toEqual([404, 404, 404]);
  expect(
    queryDatabase(
      server.dataDir,
      'SELECT title, organization FROM collections WHERE id IN (?, ?, ?)',
      one.id,
      two.id,
      three.id,
    ),
  ).toEqual(expect.arrayContaining([{ title: 'Old', organization: organization.id }]));
  expect(queryDatabase(server.dataDir, 'SELECT id FROM collections WHERE organization = ?', to)).toEqual([]);
  const events = "SELECT type FROM outbox WHERE data->>'collection' IN (?, ?, ?) AND type <> 'collection.created'";
  expect(queryDatabase(server.dataDir, events, one.id, two.id, three.id)).toEqual([]);
});
