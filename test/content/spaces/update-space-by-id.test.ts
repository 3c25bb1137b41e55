import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const patch = ({ id, token }: TestSpace, body: unknown) =>
  platform().request(`/v1/spaces/${id}`, { token, method: 'PATCH', body });

const read = ({ id, token }: TestSpace) => json<Record<string, unknown>>(`/v1/spaces/${id}`, { token });

test.each([
  [{ title: 'New' }, { title: 'New' }],
  [{ title: '' }, { title: '' }],
  [{ emoji: '🦀' }, { emoji: '🦀' }],
  [{ emoji: null }, { emoji: '' }],
  [{ emoji: '' }, { emoji: '' }],
  [{ editMode: 'locked' }, { editMode: 'locked' }],
  [{ defaultLevel: 'edit' }, { defaultLevel: 'edit' }],
  [{ defaultLevel: 'none' }, { defaultLevel: 'none' }],
  [{ defaultLevel: 'inherit' }, { defaultLevel: null }],
  [{ defaultLevel: null }, { defaultLevel: null }],
  [{}, {}],
])('the update %j results in %j and changes nothing else', async (body, expected) => {
  const space = await platform().makeSpace({ title: 'Old' });
  const before = await read(space);

  const response = await patch(space, body);
  const changed = await response.json();

  expect(response.status).toBe(200);
  expect(changed).toEqual({ ...before, ...expected, updatedAt: expect.any(String) });
  expect(await read(space)).toEqual(changed);
});

test.each([
  [{ title: 'x'.repeat(51) }],
  [{ title: null }],
  [{ emoji: 'no' }],
  [{ editMode: 'closed' }],
  [{ defaultLevel: 'owner' }],
])('rejects %j', async (body) => {
  const space = await platform().makeSpace({ title: 'Old' });
  const before = await read(space);

  expect((await patch(space, body)).status).toBe(400);
  expect(await read(space)).toEqual(before);
});

test('concurrent changes of different fields are both applied', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const spaces = await Promise.all(Array.from({ length: 10 }, () => makeSpace({ organization, title: 'Old' })));

  await Promise.all(
    spaces.flatMap((space) => [
      patch(space, { title: 'New' }),
      patch(space, { emoji: '🦀' }),
      patch(space, { editMode: 'locked' }),
    ]),
  );

  for (const space of spaces) {
    expect(await read(space)).toMatchObject({ title: 'New', emoji: '🦀', editMode: 'locked' });
  }
});

test("returns the caller's permissions after the change", async () => {
  const { makeOrganization, makeUser, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const space = await makeSpace({ organization });
  const path = `/v1/spaces/${space.id}`;

  const response = await request(path, { token: creator.token, method: 'PATCH', body: { defaultLevel: 'read' } });
  const { permissions } = (await response.json()) as { permissions: object };
  const later = (await (await request(path, { token: creator.token })).json()) as { permissions: object };

  expect(permissions).toMatchObject({ view: true, edit: false, admin: false });
  expect(later.permissions).toEqual(permissions);
});

test("returns 403 for a default level above the caller's own role", async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const { token } = await makeUser({ organization: organization.id, role: 'create' });

  expect((await patch({ ...space, token }, { defaultLevel: 'admin' })).status).toBe(403);
  expect(await read(space)).toMatchObject({ defaultLevel: null });
  expect((await patch({ ...space, token }, { defaultLevel: 'create' })).status).toBe(200);
  expect((await patch(space, { defaultLevel: 'admin' })).status).toBe(200);
});
