import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, limitCalls } from '../../support/paging.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface Listed {
  permission: string;
  space: { id: string; title: string };
}

let organization: TestOrganization;
const users = {} as Record<string, TestUser>;
const levels = [null, 'none', 'read', 'edit', 'admin'] as const;
const titles = levels.map(String);

const list = async (user: TestUser, caller: TestUser, more = ''): Promise<Listed[]> => {
  const path = `/v1/orgs/${organization.id}/members/${user.user}/spaces${more}`;
  return (await json<{ items: Listed[] }>(path, caller)).items;
};

const toPermissions = (items: Listed[]) => items.map(({ permission, space }) => [space.title, permission]);

beforeAll(async () => {
  const { makeOrganization, makeSpace } = platform();
  organization = await makeOrganization();
  users.admin = organization;
  for (const role of ['create', 'comment', 'read']) users[role] = await makeMember(organization, role);
  const byCreator = await makeSpace({
    organization: { ...organization, ...users.create },
    title: 'Hidden by its creator',
  });
  const expectedSpaces = [{ id: byCreator.id, level: 'none' as string | null }];
  for (const level of levels)
    expectedSpaces.push({ id: (await makeSpace({ organization, title: String(level) })).id, level });
  for (const { id, level: defaultLevel } of expectedSpaces) {
    await json(`/v1/spaces/${id}`, { token: organization.token, method: 'PATCH', body: { defaultLevel } });
  }
  await makeSpace();
});

test("returns the member's spaces with their role, newest first", async () => {
  const { admin = organization, comment = organization, create = organization } = users;

  expect(toPermissions(await list(comment, admin))).toEqual([
    ['admin', 'admin'],
    ['edit', 'edit'],
    ['read', 'read'],
    ['null', 'comment'],
  ]);
  expect(toPermissions(await list(create, admin)).at(-1)).toEqual(['Hidden by its creator', 'create']);
  expect(toPermissions(await list(admin, admin)).map(([, permission]) => permission)).toEqual(Array(6).fill('admin'));
});

test('returns them oldest first on request', async () => {
  const { admin = organization, comment = organization } = users;

  expect(toPermissions(await list(comment, admin, '?order=asc&limit=2'))).toEqual([
    ['null', 'comment'],
    ['read', 'read'],
  ]);
});

describe.each(['admin', 'create', 'comment', 'read'])('requested by a caller with the role %s', (name) => {
  const getCaller = () => users[name] ?? organization;

  test('returns the spaces that the caller can read, each equal to its single read', async () => {
    for (const user of Object.values(users)) {
      const items = await list(user, getCaller());
      for (const { space } of items) expect(space).toEqual(await json(`/v1/spaces/${space.id}`, getCaller()));
      const reachedByAdmin = toPermissions(await list(user, organization));
      const own = new Set((await list(getCaller(), getCaller())).map(({ space }) => space.title));
      expect(toPermissions(items)).toEqual(reachedByAdmin.filter(([title]) => own.has(title ?? '')));
    }
  });
});

test('returns only spaces that both the caller and the member can view', async () => {
  const { create = organization, read = organization, admin = organization } = users;

  expect(toPermissions(await list(create, read)).map(([title]) => title)).not.toContain('Hidden by its creator');
  expect(toPermissions(await list(admin, create)).map(([title]) => title)).not.toContain('none');
  expect(toPermissions(await list(create, create)).map(([title]) => title)).toContain('Hidden by its creator');
  expect(
    toPermissions(await list(admin, read))
      .map(([title]) => title)
      .toSorted(),
  ).toEqual(titles.filter((title) => title !== 'none').toSorted());
});

test('a disabled member has no spaces', async () => {
  const own = await platform().makeOrganization();
  await platform().makeSpace({ organization: own });
  const { user } = await makeMember(own, 'admin');
  const path = `/v1/orgs/${own.id}/members/${user}`;
  expect(await json(`${path}/spaces`, own)).toMatchObject({ count: 1 });

  await json(`${path}/disable`, { token: own.token, method: 'POST' });

  expect(await json(`${path}/spaces`, own)).toEqual({ count: 0, items: [] });
});

test('paginates by cursor, also with hidden spaces', async () => {
  const { makeOrganization, makeSpace } = platform();
  const own = await makeOrganization();
  const reader = await makeMember(own);
  for (const level of [null, 'none', 'read', 'none', 'edit', null]) {
    const { id, token } = await makeSpace({ organization: own });
    await json(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { defaultLevel: level } });
  }
  const path = `/v1/orgs/${own.id}/members/${reader.user}/spaces`;

  await expectPaging(path, reader.token, () => makeSpace({ organization: own }));
  await expectPaging(
    `${path}?order=asc`,
    own.token,
    limitCalls(4, () => makeSpace({ organization: own })),
  );
});
