import { expect, test } from 'vitest';
import type { Kind, Subject } from './setting.ts';
import { createSettings } from './setting.ts';

/** Defines the tests for changing a role on content. */
export function testChanging(kind: Kind, to: Subject): void {
  const make = createSettings(kind);
  const other: Subject = to === 'user' ? 'team' : 'user';

  test('changes a role on the content, or removes access', async () => {
    const { server, organization, id: object, path, ...setting } = await make();
    const { id, user } = await setting.subject(to, 'comment');
    await setting.give(to, id, 'read');
    const change = (body: unknown) =>
      server.request(`${path}/${to}s/${id}`, { token: organization.token, method: 'PATCH', body });

    const response = await change({ role: 'create' });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect([await setting.readDirectGrants(to), await setting.readRole(user)]).toEqual([{ [id]: 'create' }, 'create']);

    expect((await change({ role: null })).status).toBe(204);
    expect([await setting.readDirectGrants(to), await setting.readRole(user)]).toEqual([{ [id]: null }, undefined]);
    expect(setting.events()).toEqual(Array.from({ length: 3 }, () => ({ object, subjects: [id] })));
  });

  test('a request without a role changes nothing', async () => {
    const { server, organization, path, subject, give, readDirectGrants, events } = await make();
    const { id } = await subject(to);
    await give(to, id, 'edit');
    const before = events();

    for (const body of [undefined, {}]) {
      const options = { token: organization.token, method: 'PATCH', body };
      expect((await server.request(`${path}/${to}s/${id}`, options)).status).toBe(204);
    }

    expect([await readDirectGrants(to), events()]).toEqual([{ [id]: 'edit' }, before]);
  });

  test('returns 404 without a role directly on the content, and for a team instead of a user or the reverse', async () => {
    const { server, organization, path, subject, give, readDirectGrants } = await make();
    const [plain, misnamed, elsewhere] = [await subject(to), await subject(other), await make()];
    const foreign = await elsewhere.subject(to);
    await elsewhere.give(to, foreign.id, 'read');
    await give(other, misnamed.id, 'read');

    for (const id of [plain.id, misnamed.id, foreign.id, 'unknown'])
      for (const body of [{ role: 'edit' }, {}]) {
        const options = { token: organization.token, method: 'PATCH', body };
        const { status } = await server.request(`${path}/${to}s/${id}`, options);
        expect([id, body, status]).toEqual([id, body, 404]);
      }

    expect([await readDirectGrants(to), await readDirectGrants(other)]).toEqual([{}, { [misnamed.id]: 'read' }]);
  });

  test('a user with create rights grants at most create, and cannot change a higher role', async () => {
    const { server, path, creator, subject, give, readDirectGrants } = await make();
    const [{ token }, { id }] = [await creator(), await subject(to)];
    await give(to, id, 'read');
    const change = (role: string | null) =>
      server.request(`${path}/${to}s/${id}`, { token, method: 'PATCH', body: { role } });

    expect((await change('admin')).status).toBe(403);
    expect(await readDirectGrants(to)).toMatchObject({ [id]: 'read' });
    expect((await change('create')).status).toBe(204);

    await give(to, id, 'admin');
    for (const role of ['read', 'create', 'admin', null]) expect((await change(role)).status).toBe(403);
    expect(await readDirectGrants(to)).toMatchObject({ [id]: 'admin' });
  });

  test('returns 400 for an unknown role', async () => {
    const { server, organization, path, subject, give, readDirectGrants } = await make();
    const { id } = await subject(to);
    await give(to, id, 'read');

    for (const body of [{ role: 'owner' }, { role: 1 }, []]) {
      const options = { token: organization.token, method: 'PATCH', body };
      expect((await server.request(`${path}/${to}s/${id}`, options)).status).toBe(400);
    }
    expect(await readDirectGrants(to)).toEqual({ [id]: 'read' });
  });
}
