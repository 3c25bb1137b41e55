import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections, listTitles } from './collection-client.ts';

const toCollection = (id: string) => ({ type: 'collection', collection: id });
const toSpace = (id: string) => ({ type: 'space', space: id });

/** Makes the siblings A, B, C, D in this order. B is a space. */
async function makeSiblings() {
  const organization = await platform().makeOrganization();
  const client = getCollections(organization);
  const { id: parent } = await client.make({ title: 'Parent' });
  const d = await client.make({ title: 'D', parent });
  const c = await client.make({ title: 'C', parent });
  const b = await client.makeSpace({ title: 'B', parent });
  const a = await client.make({ title: 'A', parent });
  const order = (below?: string) =>
    query<{ title: string }>(
      `SELECT title FROM (SELECT title, position, id, parent, organization FROM collections WHERE deleted_at IS NULL
        UNION ALL SELECT title, position, id, parent, organization FROM spaces WHERE deleted_at IS NULL)
        WHERE organization = ? AND parent IS ? ORDER BY position, id`,
      organization.id,
      below ?? null,
    ).map(({ title }) => title);
  return { ...client, organization, parent, a, b, c, d, order };
}

test('moves to another collection, to the end, and to the top level', async () => {
  const { move, make, get, list, parent, a, order } = await makeSiblings();
  const other = await make({ title: 'Other' });
  await make({ title: 'First', parent: other.id });

  const response = await move(a.id, { parent: other.id });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(await get(a.id));
  expect(await get(a.id)).toEqual({ ...a, parent: other.id });
  expect(order(parent)).toEqual(['B', 'C', 'D']);
  expect(order(other.id)).toEqual(['First', 'A']);
  expect(await (await move(a.id, { parent: null })).json()).not.toHaveProperty('parent');
  expect(listTitles(await list())).toEqual(['Other', 'Parent', 'A']);
  expect(
    query("SELECT type FROM outbox WHERE data->>'collection' = ? AND type = 'collection.moved'", a.id),
  ).toHaveLength(2);
});

type Pair = Awaited<ReturnType<typeof makeSiblings>>;
test.each<[string, (all: Pair) => object | undefined, string]>([
  ['nothing', () => undefined, 'BCDA'],
  ['no position', () => ({}), 'BCDA'],
  ['an empty position', () => ({ position: {} }), 'BCDA'],
  ['its own parent', ({ parent }) => ({ parent }), 'BCDA'],
  ['before a collection', ({ d }) => ({ position: { before: toCollection(d.id) } }), 'BCAD'],
  ['after a collection', ({ c }) => ({ position: { after: toCollection(c.id) } }), 'BCAD'],
  ['after a space', ({ b }) => ({ position: { after: toSpace(b.id) } }), 'BACD'],
  ['before a space, where it is', ({ b }) => ({ position: { before: toSpace(b.id) } }), 'ABCD'],
  ['after the last', ({ d }) => ({ position: { after: toCollection(d.id) } }), 'BCDA'],
  ['between two', ({ b, c }) => ({ position: { after: toSpace(b.id), before: toCollection(c.id) } }), 'BACD'],
  [
    'between two siblings that are not adjacent',
    ({ b, d }) => ({ position: { after: toSpace(b.id), before: toCollection(d.id) } }),
    'BACD',
  ],
])('in A, B, C, D, moves A with %s', async (_, bodyOf, expected) => {
  const all = await makeSiblings();

  const response = await all.move(all.a.id, bodyOf(all));

  expect(response.status).toBe(200);
  expect(all.order(all.parent).join('')).toBe(expected);
});

test('repeated moves to the front work, and new content is still placed before them', async () => {
  const { move, make, a, b, c, d, parent, order } = await makeSiblings();
  for (const { id } of [d, c, d])
    expect((await move(id, { position: { before: toCollection(a.id) } })).status).toBe(200);
  expect((await move(d.id, { position: { before: toCollection(c.id) } })).status).toBe(200);
  expect(order(parent)).toEqual(['D', 'C', 'A', 'B']);
  expect((await move(a.id, { position: { before: toCollection(d.id) } })).status).toBe(200);
  await make({ title: 'New', parent });

  expect(order(parent)).toEqual(['New', 'A', 'D', 'C', 'B']);
  expect(b.title).toBe('B');
});

test.each<[string, (all: Pair) => object]>([
  ['itself', ({ a }) => ({ position: { before: toCollection(a.id) } })],
  ['a sibling in another collection', ({ parent }) => ({ position: { after: toCollection(parent) } })],
  ['a sibling in the former collection', ({ c }) => ({ parent: null, position: { after: toCollection(c.id) } })],
  ['a missing sibling', () => ({ position: { after: toCollection('col_madeup') } })],
  ['a space as a collection', ({ b }) => ({ position: { after: toCollection(b.id) } })],
  ['a collection as a space', ({ c }) => ({ position: { after: toSpace(c.id) } })],
  [
    'two siblings in the wrong order',
    ({ c, d }) => ({ position: { after: toCollection(d.id), before: toCollection(c.id) } }),
  ],
  ['the same sibling twice', ({ c }) => ({ position: { after: toCollection(c.id), before: toCollection(c.id) } })],
  [
    'a valid and an invalid sibling',
    ({ c }) => ({ position: { after: toCollection(c.id), before: toSpace('spc_madeup') } }),
  ],
])('rejects a position that names %s', async (_, bodyOf) => {
  const all = await makeSiblings();

  const response = await all.move(all.a.id, bodyOf(all));

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { issues: [{ path: expect.stringMatching(/^body\.position\./) }] },
  });
  expect(all.order(all.parent)).toEqual(['A', 'B', 'C', 'D']);
});

test.each([
  { parent: 'a/b' },
  { parent: 1 },
  { position: { before: { type: 'page', page: 'x' } } },
  { position: { before: { type: 'space' } } },
  { position: [] },
])('rejects %j', async (body) => {
  const { move, a } = await makeSiblings();

  expect((await move(a.id, body)).status).toBe(400);
});

test('rejects moving a collection into itself or a descendant', async () => {
  const { move, make, get, parent, a } = await makeSiblings();
  const deep = await make({ parent: a.id });

  for (const target of [parent, a.id, deep.id]) {
    const response = await move(parent, { parent: target });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { type: 'conflict' } });
  }
  expect(await get(parent)).not.toHaveProperty('parent');
});

test('allows at most 32 levels, including those of descendants', async () => {
  const { make, move } = getCollections(await platform().makeOrganization());
  const makeChain = async (length: number) => {
    const ids: string[] = [];
    for (let level = 0; level < length; level += 1)
      ids.push((await make({ ...(ids.at(-1) === undefined ? {} : { parent: ids.at(-1) ?? '' }) })).id);
    return ids;
  };
  const [upper, lower] = [await makeChain(20), await makeChain(13)];

  expect((await move(lower[0] ?? '', { parent: upper[19] })).status).toBe(409);
  expect((await move(lower[0] ?? '', { parent: upper[18] })).status).toBe(200);
  await expect(make({ parent: lower[12] ?? '' })).rejects.toThrow('409');
});

test('requires admin on the collection and create on the target, in the same organization', async () => {
  const { makeOrganization, makeUser } = platform();
  const { move, make, patch, organization, parent, a, b, get } = await makeSiblings();
  const [open, shut, hidden] = [await make(), await make(), await make()];
  await patch(open.id, { defaultLevel: 'create' });
  await patch(shut.id, { defaultLevel: 'review' });
  await patch(hidden.id, { defaultLevel: 'none' });
  const foreign = await getCollections(await makeOrganization()).make();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const createMover = (token: string) => async (id: string, body: object) =>
    (await getCollections({ id: organization.id, token }).move(id, body)).status;
  const [asCreator, asReader] = [createMover(creator.token), createMover(reader.token)];

  expect(await asReader(a.id, { parent: open.id })).toBe(403);
  expect(await asReader(hidden.id, { parent: open.id })).toBe(404);
  expect(await asCreator(a.id, { parent: shut.id })).toBe(403);
  expect(await asCreator(a.id, { parent: hidden.id })).toBe(404);
  expect(await asCreator(a.id, { parent: foreign.id })).toBe(404);
  expect((await move(a.id, { parent: foreign.id })).status).toBe(404);
  expect((await move(foreign.id, { parent })).status).toBe(404);
  expect((await move(b.id, { parent: open.id })).status).toBe(404);
  expect(await get(a.id)).toMatchObject({ parent });
  expect(await asReader(open.id, { parent: null })).toBe(403);
  expect(await asReader(open.id, { position: { before: toCollection(shut.id) } })).toBe(200);
  expect(await asCreator(a.id, { parent: open.id })).toBe(200);
});

test('rejects a position next to a sibling that the caller cannot view', async () => {
  const { makeUser, request } = platform();
  const { organization, patch, a, b, c } = await makeSiblings();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  await patch(c.id, { defaultLevel: 'none' });
  const hide = { token: organization.token, method: 'PATCH', body: { defaultLevel: 'none' } };
  await request(`/v1/spaces/${b.id}`, hide);
  const { move } = getCollections({ id: organization.id, token: creator.token });

  for (const pointer of [toCollection(c.id), toSpace(b.id)]) {
    const [hidden, missing] = [
      await move(a.id, { position: { after: pointer } }),
      await move(a.id, { position: { after: toCollection('col_madeup') } }),
    ];
    const readMessage = async (response: Response) =>
      ((await response.json()) as { error: { message: string } }).error.message;
    expect([hidden.status, missing.status]).toEqual([400, 400]);
    expect(await readMessage(hidden)).toBe(await readMessage(missing));
  }
});

test("returns the caller's permissions at the new position", async () => {
  const { makeUser } = platform();
  const { organization, make, patch, a } = await makeSiblings();
  const open = await make();
  const inner = await make({ parent: open.id });
  await patch(open.id, { defaultLevel: 'review' });
  await patch(inner.id, { defaultLevel: 'create' });
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const { move, get } = getCollections({ id: organization.id, token: creator.token });

  const moved = await (await move(inner.id, { parent: null })).json();
  expect(moved).toMatchObject({ permissions: { admin: true } });
  expect(await (await move(a.id, { parent: inner.id })).json()).toEqual(await get(a.id));
});

test('the 404 error says whether the path or the body caused it', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const { organization, make, patch, a } = await makeSiblings();
  const hidden = await make();
  await patch(hidden.id, { defaultLevel: 'none' });
  const foreign = await getCollections(await makeOrganization()).make();
  const { token } = await makeUser({ organization: organization.id, role: 'create' });
  const readMessage = async (path: string, body: object) => {
    const response = await request(`/v1/${path}`, { token, body });
    return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
  };

  for (const parent of ['col_madeup', hidden.id, foreign.id]) {
    const inBody = [404, 'The collection in `body.parent` was not found.'];
    expect(await readMessage(`collections/${a.id}/move`, { parent })).toEqual(inBody);
    expect(await readMessage(`orgs/${organization.id}/collections`, { parent })).toEqual(inBody);
    expect(await readMessage(`orgs/${organization.id}/spaces`, { parent })).toEqual(inBody);
    expect(await readMessage(`collections/${parent}/move`, { parent: a.id })).toEqual([404, 'Collection not found.']);
  }
  expect(await readMessage(`collections/${a.id}/transfer`, { organization: 'org_madeup' })).toEqual([
    404,
    'The organization in `body.organization` was not found.',
  ]);
});
