import { expect, test } from 'vitest';
import type { Kind, Subject } from './setting.ts';
import { createSettings } from './setting.ts';

/** Defines the tests for removing a role on content. */
export function testRemoving(kind: Kind, from: Subject): void {
  const make = createSettings(kind);
  const other: Subject = from === 'user' ? 'team' : 'user';

  test.each(['create', null] as const)('removes %s, so that the inherited role applies again', async (role) => {
    const { server, organization, id: object, path, ...setting } = await make();
    const { id, user } = await setting.subject(from, 'comment');
    await setting.give(from, id, role);
    expect(await setting.readRole(user)).toBe(role ?? undefined);
    const remove = () => server.request(`${path}/${from}s/${id}`, { token: organization.token, method: 'DELETE' });

    const response = await remove();

    expect([response.status, await response.text()]).toEqual([205, '']);
    expect([await setting.readDirectGrants(from), await setting.readRole(user)]).toEqual([{}, 'comment']);
    expect(setting.events().at(-1)).toEqual({ object, subjects: [id] });
    expect((await remove()).status).toBe(404);
    expect(setting.events()).toHaveLength(2);
  });

  test('returns 404 without a role directly on the content, and for a team instead of a user or the reverse', async () => {
    const { server, organization, path, subject, give, readDirectGrants } = await make();
    const [plain, misnamed] = [await subject(from), await subject(other)];
    await give(other, misnamed.id, 'read');

    for (const id of [plain.id, misnamed.id, 'unknown']) {
      const options = { token: organization.token, method: 'DELETE' };
      expect((await server.request(`${path}/${from}s/${id}`, options)).status).toBe(404);
    }

    expect(await readDirectGrants(other)).toEqual({ [misnamed.id]: 'read' });
  });

  test('a user with create rights cannot remove a higher role', async () => {
    const { server, path, creator, subject, give, readDirectGrants } = await make();
    const [{ token }, { id }] = [await creator(), await subject(from)];
    await give(from, id, 'admin');
    const remove = () => server.request(`${path}/${from}s/${id}`, { token, method: 'DELETE' });

    expect((await remove()).status).toBe(403);
    expect(await readDirectGrants(from)).toMatchObject({ [id]: 'admin' });

    await give(from, id, 'create');
    expect((await remove()).status).toBe(205);
  });

  test('only one of 25 concurrent removals succeeds', async () => {
    const { server, organization, path, subject, give, events } = await make();
    const { id } = await subject(from);
    await give(from, id, 'edit');
    const options = { token: organization.token, method: 'DELETE' };

    const responses = await Promise.all(
      Array.from({ length: 25 }, () => server.request(`${path}/${from}s/${id}`, options)),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([205, ...Array.from({ length: 24 }, () => 404)]);
    expect(events()).toHaveLength(2);
  });
}
