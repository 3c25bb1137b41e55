import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge, searchSpace } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';
import { getCollections } from '../collections/collection-client.ts';
import { getLifecycles } from './space-life.ts';

/** Makes two organizations with the same admin. */
async function createTwoOrganizations() {
  const from = await platform().makeOrganization();
  const { id } = await json<{ id: string }>('/v1/orgs', { token: from.token, body: { title: 'The other' } });
  return { from, to: { ...from, id }, lives: getLifecycles(from) };
}

/** Makes a user a member of another organization. */
async function join({ token }: { token: string }, organization: string, role: string): Promise<void> {
  const { email } = await json<{ email: string }>('/v1/user', { token });
  await callOperator(platform().dataDir, '/token', { email, organization, role });
}

test('moves the space to the top level of another organization, first among its siblings', async () => {
  const { from, to, lives } = await createTwoOrganizations();
  const { id: parent } = await getCollections(from).make();
  await getLifecycles(to).make({ title: 'Older' });
  const space = await lives.make({ title: 'Moves', parent });
  await lives.patch(space.id, { defaultLevel: 'edit' });
  const friend = await platform().makeUser({ organization: from.id, role: 'read' });
  await lives.grant(`spaces/${space.id}`, [friend.user], 'review');
  const reader = await platform().makeUser({ organization: to.id, role: 'read' });

  const response = await lives.transfer(space.id, to.id);

  expect(response.status).toBe(200);
  const moved = await response.json();
  expect(moved).toEqual(await lives.get(space.id));
  expect(moved).toMatchObject({
    title: 'Moves',
    organization: to.id,
    defaultLevel: null,
    permissions: { admin: true },
  });
  expect(moved).not.toHaveProperty('parent');
  expect(
    query('SELECT title FROM spaces WHERE organization = ? ORDER BY position', to.id).map(({ title }) => title),
  ).toEqual(['Moves', 'Older']);
  expect(query('SELECT * FROM grants WHERE object = ?', space.id)).toEqual([]);
  const [theirs, gone] = [getLifecycles({ ...to, ...reader }), getLifecycles({ ...from, ...friend })];
  expect((await theirs.get(space.id)).permissions).toMatchObject({ view: true, comment: false, edit: false });
  expect(await gone.status(space.id)).toBe(404);
  expect(
    query(
      "SELECT organization, data FROM outbox WHERE type = 'space.transferred' AND space = ? ORDER BY organization = ?",
      ...[space.id, to.id],
    ),
  ).toEqual([from, to].map(({ id }) => ({ organization: id, data: JSON.stringify({ from: from.id }) })));
});

test('the content, change requests and copies of a transferred space can still be read, merged and found', async () => {
  const { from, to, lives } = await createTwoOrganizations();
  const { id } = await lives.make();
  const space = { id, token: from.token };
  const page = await makePage(space, 'Otters', 'One.\n\nTwo.\n\nThree otters.\n');
  const before = await makeChangeRequest(space);
  const write = (markdown: string) => [{ operation: 'update_page', page, document: { markdown } }];
  await edit(space, write('One.\n\nTwo.\n\nFour otters.\n'), before.id);
  const same = await makeChangeRequest(space);
  const copy = { id: (await lives.copy(id)).id, token: from.token };
  const readText = async (of: { id: string }) =>
    (await json<{ markdown: string }>(`/v1/spaces/${of.id}/content/page/${page}?format=markdown`, space)).markdown;

  expect((await lives.transfer(id, to.id)).status).toBe(200);

  expect(await readText(space)).toBe('One.\n\nTwo.\n\nThree otters.\n');
  await edit(space, write('One.\n\nTwo.\n\nThree otters.\n'), same.id);
  await edit(space, write('Zero.\n\nTwo.\n\nThree otters.\n'));
  for (const { id: changeRequest } of [before, same]) {
    expect(await (await merge(space, changeRequest)).json()).toMatchObject({ result: 'merge' });
  }
  expect(await readText(space)).toBe('Zero.\n\nTwo.\n\nFour otters.\n');
  expect(await readText(copy)).toBe('One.\n\nTwo.\n\nThree otters.\n');
  await edit(copy, [{ operation: 'update_page', page, document: { markdown: 'The copy.\n' } }]);
  expect(await readText(copy)).toBe('The copy.\n');
  await until(async () => (await searchSpace(space, 'four')).items[0]);
  expect((await searchOrganization(to, 'otters')).items.map((foundSpace) => foundSpace.id)).toEqual([id]);
  expect((await searchOrganization(from, 'four')).items).toEqual([]);
});

test('a hidden space stays hidden, but the transferring user keeps access', async () => {
  const from = await platform().makeOrganization();
  const to = await platform().makeOrganization();
  const lives = getLifecycles(from);
  const space = await lives.make();
  await lives.patch(space.id, { defaultLevel: 'none' });
  const mover = await platform().makeUser({ organization: from.id, role: 'read' });
  await lives.grant(`spaces/${space.id}`, [mover.user], 'create');
  await join(mover, to.id, 'create');
  const other = await platform().makeUser({ organization: to.id, role: 'create' });

  const response = await getLifecycles({ ...from, ...mover }).transfer(space.id, to.id);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ defaultLevel: 'none', permissions: { admin: true, access: true } });
  expect(await getLifecycles({ ...to, ...other }).status(space.id)).toBe(404);
  expect(await getLifecycles({ ...to, ...mover }).status(space.id)).toBe(200);
});

test('rejects a transfer to the same or a missing organization, or without an organization', async () => {
  const { from, lives } = await createTwoOrganizations();
  const { id } = await lives.make();

  expect((await lives.transfer(id, from.id)).status).toBe(409);
  expect((await lives.transfer(id, 'org_none')).status).toBe(404);
  expect((await lives.transfer(id, 7)).status).toBe(400);
  expect((await lives.transfer(id, null)).status).toBe(400);
  expect((await lives.get(id)).organization).toBe(from.id);
});

test('requires the right to create in both organizations', async () => {
  const { from, lives } = await createTwoOrganizations();
  const { id } = await lives.make();
  const { makeOrganization, makeUser } = platform();
  const stranger = await makeOrganization();
  expect((await lives.transfer(id, stranger.id)).status).toBe(404);
  const reviewer = await makeUser({ organization: from.id, role: 'review' });
  const own = await json<{ id: string }>('/v1/orgs', { token: reviewer.token, body: { title: 'Mine' } });
  expect((await getLifecycles({ ...from, ...reviewer }).transfer(id, own.id)).status).toBe(403);
  await join(from, stranger.id, 'review');
  expect((await lives.transfer(id, stranger.id)).status).toBe(403);
  expect((await lives.get(id)).organization).toBe(from.id);
});

test('only one of 25 concurrent transfers of a space succeeds', async () => {
  const { from, to, lives } = await createTwoOrganizations();
  const { id } = await lives.make();

  const answers = await Promise.all(Array.from({ length: 25 }, async () => (await lives.transfer(id, to.id)).status));

  expect(answers.filter((status) => status === 200)).toHaveLength(1);
  for (const status of answers) expect([200, 404, 409]).toContain(status);
  expect((await lives.get(id)).organization).toBe(to.id);
  expect(query('SELECT id FROM spaces WHERE organization = ?', from.id)).toEqual([]);
});
