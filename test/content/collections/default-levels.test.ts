import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

const refusal = {
  error: { type: 'forbidden', message: 'You have the role create here and cannot set the default level admin.' },
};

/** Makes a space or collection two collections deep, and a user with the `create` role on it. */
async function makeNestedContent(kind: 'spaces' | 'collections') {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const creator = await makeUser({ organization: organization.id, role: 'read' });
  const { make, makeSpace } = getCollections(organization);
  const outer = await make();
  const { id: parent } = await make({ parent: outer.id });
  const { id } = kind === 'spaces' ? await makeSpace({ parent }) : await make({ parent });
  const giveRole = (role: string) =>
    request(`/v1/${kind}/${id}/permissions`, { token: organization.token, body: { users: [creator.user], role } });
  await giveRole('create');
  const send = (path: string, token: string, body: unknown) => request(path, { token, method: 'PATCH', body });
  return {
    give: giveRole,
    by: (token: string, body: unknown) => send(`/v1/${kind}/${id}`, token, body),
    level: (collection: string, defaultLevel: string | null) =>
      send(`/v1/collections/${collection}`, organization.token, { defaultLevel }),
    read: () => json<{ title: string; defaultLevel: string | null }>(`/v1/${kind}/${id}`, organization),
    organization,
    creator,
    outer: outer.id,
    parent,
  };
}

describe.each(['spaces', 'collections'] as const)('the default level of %s', (kind) => {
  test("cannot be raised above the caller's own role", async () => {
    const { by, read, creator } = await makeNestedContent(kind);

    const response = await by(creator.token, { title: 'New', defaultLevel: 'admin' });

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject(refusal);
    expect(await read()).toMatchObject({ defaultLevel: null });
    expect((await read()).title).not.toBe('New');
  });

  test('is accepted unchanged, whatever its value', async () => {
    const { by, read, creator, organization } = await makeNestedContent(kind);
    await by(organization.token, { defaultLevel: 'admin' });

    expect((await by(creator.token, { title: 'New', defaultLevel: 'admin' })).status).toBe(200);
    expect((await by(creator.token, { defaultLevel: 'admin' })).status).toBe(200);
    expect(await read()).toMatchObject({ title: 'New', defaultLevel: 'admin' });
  });

  test.each(['outer', 'parent'] as const)('cannot be raised by inheriting from the %s collection', async (which) => {
    const all = await makeNestedContent(kind);
    const { by, read, level, creator, organization, give } = all;
    await level(all[which], 'admin');
    await by(organization.token, { defaultLevel: 'read' });

    const response = await by(creator.token, { title: 'New', defaultLevel: 'inherit' });

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject(refusal);
    expect(await read()).toMatchObject({ defaultLevel: 'read' });
    expect((await read()).title).not.toBe('New');
    await give('admin');
    expect((await by(creator.token, { defaultLevel: 'inherit' })).status).toBe(200);
  });

  test.each([
    ['nothing', null, null],
    ['a level equal to the own role', 'create', null],
    ['no level', 'none', null],
    ['a lower level of a collection in between', 'read', 'admin'],
  ])('can inherit %s', async (_, near, far) => {
    const { by, read, level, creator, organization, parent, outer } = await makeNestedContent(kind);
    await level(parent, near);
    await level(outer, far);
    await by(organization.token, { defaultLevel: 'read' });

    expect((await by(creator.token, { defaultLevel: null })).status).toBe(200);
    expect(await read()).toMatchObject({ defaultLevel: null });
  });

  test('can be set to any level by an admin of the organization', async () => {
    const { by, level, organization, parent } = await makeNestedContent(kind);
    await level(parent, 'admin');

    for (const defaultLevel of ['read', 'admin', 'none', null]) {
      expect((await by(organization.token, { defaultLevel })).status).toBe(200);
    }
  });
});
