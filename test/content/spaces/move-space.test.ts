import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from '../collections/collection-client.ts';
import { getLifecycles } from './space-life.ts';

const toSpace = (id: string) => ({ type: 'space', space: id });
const toCollection = (id: string) => ({ type: 'collection', collection: id });

async function makeSiblings() {
  const organization = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const collections = getCollections(organization);
  const { id: parent } = await collections.make({ title: 'Parent' });
  const c = await lives.make({ title: 'C', parent });
  const b = await collections.make({ title: 'B', parent });
  const a = await lives.make({ title: 'A', parent });
  const order = (below: string | null = parent) =>
    query<{ title: string }>(
      `SELECT title FROM (SELECT title, position, id, parent, organization FROM collections WHERE deleted_at IS NULL
        UNION ALL SELECT title, position, id, parent, organization FROM spaces WHERE deleted_at IS NULL)
        WHERE organization = ? AND parent IS ? ORDER BY position, id`,
      organization.id,
      below,
    )
      .map(({ title }) => title)
      .join('');
  return { organization, lives, collections, parent, a, b, c, order };
}

test('moves a space to another collection, to the end of it, and to the top level', async () => {
  const { organization, lives, collections, a, order } = await makeSiblings();
  const other = await collections.make({ title: 'Other' });
  await lives.make({ title: 'First', parent: other.id });

  const response = await lives.move(a.id, { parent: other.id });

  expect(response.status).toBe(200);
  const moved = await response.json();
  expect(moved).toEqual(await lives.get(a.id));
  expect(moved).toEqual({ ...a, parent: other.id });
  expect(order(other.id)).toBe('FirstA');
  expect(await (await lives.move(a.id, { parent: null })).json()).not.toHaveProperty('parent');
  expect(order(null).endsWith('A')).toBe(true);
  const events = "SELECT organization FROM outbox WHERE space = ? AND type = 'space.moved'";
  expect(query(events, a.id)).toEqual([{ organization: organization.id }, { organization: organization.id }]);
});

type All = Awaited<ReturnType<typeof makeSiblings>>;
test.each<[string, (all: All) => object | undefined, string]>([
  ['nothing', () => undefined, 'BCA'],
  ['its own parent', ({ parent }) => ({ parent }), 'BCA'],
  ['before a space', ({ c }) => ({ position: { before: toSpace(c.id) } }), 'BAC'],
  ['after a collection', ({ b }) => ({ position: { after: toCollection(b.id) } }), 'BAC'],
  ['between two', ({ b, c }) => ({ position: { after: toCollection(b.id), before: toSpace(c.id) } }), 'BAC'],
])('in A, B, C, moves A with %s', async (_, bodyOf, expected) => {
  const all = await makeSiblings();

  expect((await all.lives.move(all.a.id, bodyOf(all))).status).toBe(200);
  expect(all.order()).toBe(expected);
});

test.each<[string, (all: All) => unknown, number, string]>([
  ['a parent that is not a string', () => ({ parent: 7 }), 400, 'body.parent'],
  [
    'a sibling in another collection',
    ({ a }) => ({ parent: null, position: { after: toSpace(a.id) } }),
    400,
    'body.position',
  ],
  ['itself as its sibling', ({ a }) => ({ position: { before: toSpace(a.id) } }), 400, 'body.position.before'],
  [
    'contradictory siblings',
    ({ b, c }) => ({ position: { after: toSpace(c.id), before: toCollection(b.id) } }),
    400,
    'after',
  ],
  ['a missing collection', () => ({ parent: 'col_none' }), 404, 'body.parent'],
  ['a space as its parent', ({ c }) => ({ parent: c.id }), 404, 'body.parent'],
])('rejects %s and moves nothing', async (_, bodyOf, status, problem) => {
  const all = await makeSiblings();

  const response = await all.lives.move(all.a.id, bodyOf(all));

  expect(response.status).toBe(status);
  expect(await response.text()).toContain(problem);
  expect(all.order()).toBe('ABC');
});

test('requires the right to create in the target, and returns 404 for a collection of another organization', async () => {
  const { organization, lives, collections, parent, a, order } = await makeSiblings();
  const target = await collections.make({ title: 'Target' });
  const { makeUser, makeOrganization } = platform();
  const mover = await makeUser({ organization: organization.id, role: 'edit' });
  await lives.grant(`spaces/${a.id}`, [mover.user], 'create');
  await lives.grant(`collections/${parent}`, [mover.user], 'read');
  const elsewhere = await makeOrganization();
  const foreign = await getCollections(elsewhere).make();
  const { move } = getLifecycles({ ...organization, ...mover });

  expect((await move(a.id, { parent: target.id })).status).toBe(403);
  expect((await move(a.id, { parent: null })).status).toBe(403);
  expect((await move(a.id, { parent: foreign.id })).status).toBe(404);
  expect((await lives.move(a.id, { parent: foreign.id })).status).toBe(404);
  expect(order()).toBe('ABC');
  expect((await move(a.id, {})).status).toBe(200);
  await lives.grant(`collections/${target.id}`, [mover.user], 'create');
  expect((await move(a.id, { parent: target.id })).status).toBe(200);
  expect((await lives.get(a.id)).parent).toBe(target.id);
});

test('users cannot gain rights by moving content below a collection with a higher level', async () => {
  const { organization, lives, collections, parent, a, b } = await makeSiblings();
  const outer = await collections.make();
  const inner = await collections.make({ parent: outer.id });
  await lives.patchCollection(outer.id, { defaultLevel: 'admin' });
  const mover = await platform().makeUser({ organization: organization.id, role: 'read' });
  for (const id of [parent, outer.id]) await lives.grant(`collections/${id}`, [mover.user], 'create');
  const mine = getLifecycles({ ...organization, ...mover });
  const { move } = getCollections({ ...organization, ...mover });

  const response = await mine.move(a.id, { parent: inner.id });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('cannot set the default level admin');
  expect((await move(b.id, { parent: inner.id })).status).toBe(403);
  await lives.patch(a.id, { defaultLevel: 'edit' });
  await lives.grant(`spaces/${a.id}`, [mover.user], 'create');
  expect((await mine.move(a.id, { parent: inner.id })).status).toBe(200);
  expect((await mine.move(a.id, { parent: inner.id })).status).toBe(200);
  expect((await move(b.id, { parent: inner.id })).status).toBe(403);
  await lives.patchCollection(outer.id, { defaultLevel: 'create' });
  expect((await move(b.id, { parent: inner.id })).status).toBe(200);
});

test('after 25 concurrent moves and deletes, each space is where its last response says', async () => {
  const { lives, collections, parent } = await makeSiblings();
  const target = await collections.make();
  const spaces = await Promise.all(Array.from({ length: 5 }, () => lives.make({ parent })));

  const results = await Promise.all(
    Array.from({ length: 25 }, async (_, index) => {
      const { id } = spaces[index % 5] ?? { id: '' };
      if (index >= 10 && index < 15) return { id, status: (await lives.remove(id)).status };
      return { id, status: (await lives.move(id, { parent: index % 2 === 0 ? target.id : null })).status };
    }),
  );

  for (const { status } of results) expect([200, 205, 404]).toContain(status);
  expect(results.filter(({ status }) => status === 205)).toHaveLength(5);
  for (const { id } of spaces) expect(await lives.get(id)).toMatchObject({ deletedAt: expect.any(String) });
});

test('leaves nothing live in a collection that is deleted during a move into it', async () => {
  const { organization, lives, collections, parent } = await makeSiblings();
  const spaces = await Promise.all(Array.from({ length: 24 }, () => lives.make()));

  const [results] = await Promise.all([
    Promise.all(spaces.map(async ({ id }) => (await lives.move(id, { parent })).status)),
    collections.remove(parent),
  ]);

  for (const status of results) expect([200, 404]).toContain(status);
  const alive = 'SELECT id FROM spaces WHERE organization = ? AND parent = ? AND deleted_at IS NULL';
  expect(query(alive, organization.id, parent)).toEqual([]);
});
