import type { Role } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import type { Kind, Subject } from './setting.ts';
import { createSettings, subjects } from './setting.ts';

/** Defines the tests for giving members and teams a role on content. */
export function testInviting(kind: Kind): void {
  const make = createSettings(kind);

  test('gives several users and teams one role in a single request, recorded as one event', async () => {
    const { server, organization, id, path, ...setting } = await make();
    const [user, inTeam] = [await setting.member(null), await setting.member(null)];
    const team = await setting.team(inTeam);
    const body = { users: [user.user, user.user], teams: [team], role: 'edit' };

    const response = await server.request(path, { token: organization.token, body });

    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await setting.readDirectGrants('user')).toEqual({ [user.user]: 'edit' });
    expect(await setting.readDirectGrants('team')).toEqual({ [team]: 'edit' });
    expect([await setting.readRole(user), await setting.readRole(inTeam)]).toEqual(['edit', 'edit']);
    expect(setting.events()).toEqual([{ object: id, subjects: [user.user, team] }]);
  });

  describe.each(subjects)('for a %s', (to) => {
    const other: Subject = to === 'user' ? 'team' : 'user';

    test('null denies access, even if a role is inherited', async () => {
      const { subject, give, readRole, readDirectGrants } = await make();
      const { id, user } = await subject(to, 'review');
      expect(await readRole(user)).toBe('review');

      expect((await give(to, id, null)).status).toBe(204);

      expect(await readRole(user)).toBeUndefined();
      expect(await readDirectGrants(to)).toEqual({ [id]: null });
    });

    test('a new role replaces the previous one', async () => {
      const { subject, give, readDirectGrants } = await make();
      const { id } = await subject(to);

      for (const role of ['create', null, 'read'] as const) {
        expect((await give(to, id, role)).status).toBe(204);
        expect(await readDirectGrants(to)).toEqual({ [id]: role });
      }
    });

    test('a user with create rights grants at most create, and cannot replace a higher role', async () => {
      const { creator, subject, give, readDirectGrants, readRole, events } = await make();
      const [{ token, user }, { id, user: receiver }] = [await creator(), await subject(to)];
      const before = events();

      expect((await give(to, id, 'admin', token)).status).toBe(403);
      if (to === 'user') expect((await give(to, user, 'admin', token)).status).toBe(403);
      expect(await readDirectGrants(to)).toEqual(to === 'user' ? { [user]: 'create' } : {});
      expect(events()).toEqual(before);

      expect((await give(to, id, 'create', token)).status).toBe(204);
      expect((await give(to, id, 'admin')).status).toBe(204);
      for (const role of ['read', 'create', null] as const) {
        expect((await give(to, id, role, token)).status).toBe(403);
      }
      expect(await readDirectGrants(to)).toMatchObject({ [id]: 'admin' });
      expect(await readRole(receiver)).toBe('admin');
    });

    test('changes no role if the caller may not change one of them', async () => {
      const { server, path, creator, subject, give, readDirectGrants } = await make();
      const [{ token }, high, free] = [await creator(), await subject(to), await subject(to)];
      await give(to, high.id, 'admin');
      const before = await readDirectGrants(to);

      const body = { [`${to}s`]: [free.id, high.id], role: 'read' };
      expect((await server.request(path, { token, body })).status).toBe(403);

      expect(await readDirectGrants(to)).toEqual(before);
    });

    test('returns 404 for a user or team of another organization, and writes nothing', async () => {
      const { server, path, organization, subject, readDirectGrants, events } = await make();
      const [mine, theirs] = [await subject(to), await (await make()).subject(to)];
      const stranger = to === 'user' ? (await server.makeUser()).user : 'team_unknown';
      const misnamed = await subject(other);

      for (const id of [theirs.id, stranger, misnamed.id]) {
        const body = { [`${to}s`]: [mine.id, id], role: 'read' };
        const response = await server.request(path, { token: organization.token, body });
        expect([id, response.status]).toEqual([id, 404]);
        const message = `${to === 'user' ? 'Member' : 'Team'} ${id} not found.`;
        expect(await response.json()).toMatchObject({ error: { message } });
      }

      expect([await readDirectGrants('user'), await readDirectGrants('team'), events()]).toEqual([{}, {}, []]);
    });

    test('25 concurrent requests all succeed and leave a single role', async () => {
      const { subject, give, readDirectGrants } = await make();
      const { id } = await subject(to);
      const roles: Role[] = ['read', 'comment', 'edit', 'review', 'create'];

      const responses = await Promise.all(Array.from({ length: 25 }, (_, n) => give(to, id, roles[n % 5] ?? 'read')));

      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 204));
      expect(Object.keys(await readDirectGrants(to))).toEqual([id]);
    });
  });

  test('updates the number of spaces that were shared with a member', async () => {
    const { server, organization, give, subject } = await make();
    const { id } = await subject('user');
    const countSpaces = async () => {
      const statement = 'SELECT spaces FROM members WHERE organization = ? AND user = ?';
      return queryDatabase<{ spaces: number }>(server.dataDir, statement, organization.id, id)[0]?.spaces;
    };
    const counted: unknown[] = [];
    for (const role of ['edit', 'read', null, null, 'read'] as const) {
      await give('user', id, role);
      counted.push(await countSpaces());
    }

    expect(counted).toEqual(kind === 'space' ? [1, 1, 0, 0, 1] : [0, 0, 0, 0, 0]);
  });

  test.each([
    ['no body', undefined],
    ['nobody', { role: 'read' }],
    ['empty lists', { users: [], teams: [], role: 'read' }],
    ['no role', { users: ['usr_x'] }],
    ['a role that there is not', { users: ['usr_x'], role: 'owner' }],
    ['what is no id', { teams: ['a b'], role: 'read' }],
    ['more than 100', { users: Array.from({ length: 101 }, (_, index) => `usr_${index}`), role: 'read' }],
  ])('returns 400 for %s', async (_, body) => {
    const { server, path, organization, events } = await make();

    const response = await server.request(path, { token: organization.token, method: 'POST', body });

    expect(response.status).toBe(400);
    expect(events()).toEqual([]);
  });

  test('returns 403 to users who can view the content, and 404 to others', async () => {
    const { member, give } = await make();
    const [reviewer, guest] = [await member('review'), await member(null)];

    expect((await give('user', reviewer.user, 'read', reviewer.token)).status).toBe(403);
    expect((await give('user', guest.user, 'read', guest.token)).status).toBe(404);
  });
}
