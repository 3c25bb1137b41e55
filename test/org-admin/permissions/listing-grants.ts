import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import type { Kind, Setting, Subject } from './setting.ts';
import { createSettings } from './setting.ts';

interface Item {
  permission: string | null;
  user?: { id: string; email?: string };
  team?: { id: string; permissions: { admin: boolean; view: boolean } };
}

/** Defines the tests for listing the direct grants on content. */
export function testListingGrants(kind: Kind, of: Subject): void {
  const make = createSettings(kind);
  const other: Subject = of === 'user' ? 'team' : 'user';
  const readItems = async ({ server, path }: Setting, token: string) =>
    (await json<{ items: Item[] }>(`${path}/${of}s`, { token }, server)).items;

  test('lists only roles set directly on this content for one kind, users or teams, newest first', async () => {
    const setting = await make();
    const { organization, subject, give } = setting;
    const [first, second, third] = [await subject(of), await subject(of), await subject(other)];
    await give(of, first.id, null);
    await give(of, second.id, 'edit');
    await give(other, third.id, 'read');
    const elsewhere = await make();
    await elsewhere.give(of, (await elsewhere.subject(of)).id, 'read');

    const items = await readItems(setting, organization.token);

    expect(items.map((item) => [item[of]?.id, item.permission])).toEqual([
      [second.id, 'edit'],
      [first.id, null],
    ]);
  });

  if (of === 'user')
    test('returns users equal to their single reads, and to a guest without e-mail addresses', async () => {
      const setting = await make();
      const { server, organization, creator } = setting;
      const [guest, { user }] = [await creator(null), await creator()];

      const items = await readItems(setting, organization.token);
      expect(items.find((item) => item.user?.id === user)?.user).toEqual(
        await json(`/v1/users/${user}`, { token: organization.token }, server),
      );
      expect(items.map((item) => item.user?.email)).not.toContain(undefined);

      const toGuest = await readItems(setting, guest.token);
      expect(toGuest.map((item) => item.user?.id)).toEqual(items.map((item) => item.user?.id));
      for (const item of toGuest) expect(item.user).not.toHaveProperty('email');
    });
  else
    test("returns the caller's permissions on each team", async () => {
      const setting = await make();
      const { organization, creator, team, give } = setting;
      const [member, guest] = [await creator('read'), await creator(null)];
      const [theirs, empty] = [await team(guest), await team()];
      await give('team', theirs, 'read');
      await give('team', empty, 'read');
      const readAs = async (token: string) =>
        Object.fromEntries((await readItems(setting, token)).map((item) => [item.team?.id, item.team?.permissions]));

      const all = { admin: true, view: true };
      const view = { admin: false, view: true };
      expect(await readAs(organization.token)).toEqual({ [theirs]: all, [empty]: all });
      expect(await readAs(member.token)).toEqual({ [theirs]: view, [empty]: view });
      expect(await readAs(guest.token)).toEqual({ [theirs]: view, [empty]: { admin: false, view: false } });
    });

  test('paginates by cursor', async () => {
    const { server, organization, path, subject, give } = await make();
    const add = async () => give(of, (await subject(of)).id, 'read');
    for (let count = 0; count < 4; count += 1) await add();

    await expectPaging(`${path}/${of}s`, organization.token, add, server);
  });

  test('returns 403 to users who do not manage the content', async () => {
    const { server, path, member } = await make();
    const { token } = await member('review');

    expect((await server.request(`${path}/${of}s`, { token })).status).toBe(403);
  });
}
