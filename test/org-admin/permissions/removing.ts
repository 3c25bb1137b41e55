import { expect, test } from 'vitest';
import type { Kind, Subject } from './setting.ts';
import { settings } from './setting.ts';

/** Defines the tests for removing a role on content. */
export function testRemoving(kind: Kind, from: Subject): void {
  const make = settings(kind);
  const other: Subject = from === 'user' ? 'team' : 'user';

  test.each(['create', null] as const)('takes back %s, and what is inherited holds again', async (role) => {
    const { server, organization, id: object, path, ...setting } = await make();
    const { id, user } = await setting.subject(from, 'comment');
    await setting.give(from, id, role);
    expect(await setting.roleOf(user)).toBe(role ?? undefined);
    const remove = () => server.request(`${path}/${from}s/${id}`, { token: organization.token, method: 'DELETE' });

    const answer = await remove();

    expect([answer.status, await answer.text()]).toEqual([205, '']);
    expect([await setting.given(from), await setting.roleOf(user)]).toEqual([{}, 'comment']);
    expect(setting.events().at(-1)).toEqual({ object, subjects: [id] });
    expect((await remove()).status).toBe(404);
    expect(setting.events()).toHaveLength(2);
  });

  test('404 where nothing was given directly, and for one of the other kind', async () => {
    const { server, organization, path, subject, give, given } = await make();
    const [plain, misnamed] = [await subject(from), await subject(other)];
    await give(other, misnamed.id, 'read');

    for (const id of [plain.id, misnamed.id, 'unknown']) {
      const options = { token: organization.token, method: 'DELETE' };
      expect((await server.request(`${path}/${from}s/${id}`, options)).status).toBe(404);
    }

    expect(await given(other)).toEqual({ [misnamed.id]: 'read' });
  });

  test('5, 25: a holder of create takes away nothing above it', async () => {
    const { server, path, creator, subject, give, given } = await make();
    const [{ token }, { id }] = [await creator(), await subject(from)];
    await give(from, id, 'admin');
    const remove = () => server.request(`${path}/${from}s/${id}`, { token, method: 'DELETE' });

    expect((await remove()).status).toBe(403);
    expect(await given(from)).toMatchObject({ [id]: 'admin' });

    await give(from, id, 'create');
    expect((await remove()).status).toBe(205);
  });

  test('36: of 25 callers at once one takes it back', async () => {
    const { server, organization, path, subject, give, events } = await make();
    const { id } = await subject(from);
    await give(from, id, 'edit');
    const options = { token: organization.token, method: 'DELETE' };

    const answers = await Promise.all(
      Array.from({ length: 25 }, () => server.request(`${path}/${from}s/${id}`, options)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([205, ...Array.from({ length: 24 }, () => 404)]);
    expect(events()).toHaveLength(2);
  });
}
