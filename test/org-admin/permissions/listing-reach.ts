import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import type { Kind, Setting } from './setting.ts';
import { createSettings } from './setting.ts';

interface Item {
  permission: string;
  user: { id: string; email?: string };
}

/** Defines the tests for listing everyone who has access to content. */
export function testListingReach(kind: Kind): void {
  const make = createSettings(kind);
  const listItems = async ({ server, path }: Setting, token: string, more = '') =>
    (await json<{ items: Item[] }>(`${path}/aggregate${more}`, { token }, server)).items;

  test('lists members with their effective role, and omits members without access', async () => {
    const setting = await make();
    const { organization, member, team, give } = setting;
    const [editor, hidden, guest, inTeam] = [
      await member('edit'),
      await member('review'),
      await member(null),
      await member('read'),
    ];
    await member(null);
    await give('user', hidden.user, null);
    await give('user', guest.user, 'comment');
    await give('team', await team(inTeam, hidden), 'create');

    const items = await listItems(setting, organization.token);

    const roles = Object.fromEntries(items.map(({ permission, user }) => [user.id, permission]));
    expect(roles).toEqual({
      [organization.user]: 'admin',
      [editor.user]: 'edit',
      [guest.user]: 'comment',
      [inTeam.user]: 'create',
    });
  });

  test('filters by effective role', async () => {
    const setting = await make();
    const { organization, member, give } = setting;
    const [reader, raised] = [await member('read'), await member('read')];
    await give('user', raised.user, 'edit');
    const listWithRole = async (role: string) =>
      (await listItems(setting, organization.token, `?role=${role}`)).map(({ user }) => user.id);

    expect(await listWithRole('read')).toEqual([reader.user]);
    expect(await listWithRole('edit')).toEqual([raised.user]);
    expect(await listWithRole('admin')).toEqual([organization.user]);
    expect(await listWithRole('review')).toEqual([]);
    const response = await setting.server.request(`${setting.path}/aggregate?role=guest`, {
      token: organization.token,
    });
    expect(response.status).toBe(400);
  });

  test('returns no e-mail addresses to a guest', async () => {
    const setting = await make();
    const [guest] = [await setting.creator(null), await setting.member('read')];

    const toAdmin = await listItems(setting, setting.organization.token);
    const toGuest = await listItems(setting, guest.token);

    expect(toAdmin.map(({ user }) => user.email)).not.toContain(undefined);
    expect(toGuest.map(({ user }) => user.id)).toEqual(toAdmin.map(({ user }) => user.id));
    for (const { user } of toGuest) expect(user).not.toHaveProperty('email');
  });

  test('paginates by cursor, even if most members cannot access the content', async () => {
    const { server, organization, path, member } = await make();
    for (const role of ['read', null, null, 'read', null, 'edit', 'read'] as const) await member(role);

    await expectPaging(`${path}/aggregate`, organization.token, () => member('read'), server);
    await expectPaging(`${path}/aggregate?role=read`, organization.token, () => member('read'), server);
  });

  test('returns 403 to users who do not manage the content', async () => {
    const { server, path, member } = await make();
    const { token } = await member('review');

    expect((await server.request(`${path}/aggregate`, { token })).status).toBe(403);
  });
}
