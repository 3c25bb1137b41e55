import { callOperator } from '@octavo/platform';
import { beforeAll, describe, expect, test } from 'vitest';
import { queueJob } from '../../content/retention/trash.ts';
import { json } from '../../support/content.ts';
import { query, queryDatabase, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { join, makeCollection, makeLink, readLinks } from './links.ts';

const getRole = (organization: string, user: string) =>
  query<{ role: string | null }>('SELECT role FROM members WHERE organization = ? AND user = ?', organization, user)[0]
    ?.role;
const getGrants = (user: string) =>
  query<{ object: string; role: string | null }>('SELECT object, role FROM grants WHERE subject = ?', user);

test.each(['admin', 'read', null])('a link to the organization creates a member with its role: %s', async (role) => {
  const { makeOrganization, makeUser } = platform();
  const [organization, joiner] = [await makeOrganization(), await makeUser()];
  const link = await makeLink(organization, { role });

  const response = await join(organization, link.id, joiner.token);

  expect([response.status, await response.json()]).toEqual([200, {}]);
  expect(getRole(organization.id, joiner.user)).toBe(role);
  expect(
    query(
      "SELECT actor, data FROM outbox WHERE type = 'member.added' AND organization = ? AND actor = ?",
      organization.id,
      joiner.user,
    ),
  ).toEqual([{ actor: joiner.user, data: JSON.stringify({ user: joiner.user }) }]);
});

test('a link to a space creates a guest who can view only that space', async () => {
  const { makeOrganization, makeSpace, makeUser, request } = platform();
  const [organization, joiner] = [await makeOrganization(), await makeUser()];
  const [space, other] = [await makeSpace({ organization }), await makeSpace({ organization })];
  const link = await makeLink(organization, { level: 'comment', space: space.id });

  expect((await join(organization, link.id, joiner.token)).status).toBe(200);

  expect(getRole(organization.id, joiner.user)).toBeNull();
  expect(await json(`/v1/spaces/${space.id}`, joiner)).toMatchObject({ permissions: { comment: true, edit: false } });
  expect((await request(`/v1/spaces/${other.id}`, joiner)).status).toBe(404);
  expect(
    query("SELECT organization, data FROM outbox WHERE type = 'permissions.changed' AND space = ?", space.id),
  ).toEqual([{ organization: organization.id, data: JSON.stringify({ object: space.id, subjects: [joiner.user] }) }]);
});

test('a link without a level creates a guest, and changes no role on content', async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const [organization, joiner] = [await makeOrganization(), await makeUser()];
  const space = await makeSpace({ organization });
  const link = await makeLink(organization, { level: null, space: space.id });

  expect((await join(organization, link.id, joiner.token)).status).toBe(200);
  expect(getRole(organization.id, joiner.user)).toBeNull();
  expect(getGrants(joiner.user)).toEqual([]);
});

describe('existing members', () => {
  let organization: TestOrganization;
  let space: TestSpace;
  beforeAll(async () => {
    organization = await platform().makeOrganization();
    space = await platform().makeSpace({ organization });
  });
  const makeMemberWithRole = (role: string | null) =>
    platform().makeUser({ organization: organization.id, role: role as string });
  const createLinkAndJoin = async (body: object, { token }: TestUser) => {
    const { id } = await makeLink(organization, body);
    expect((await join(organization, id, token)).status).toBe(200);
  };
  const onSpace = (level: string) => ({ level, space: space.id });

  test.each(['read', null])('keep their role if the link grants another: %s', async (role) => {
    const member = await makeMemberWithRole(role);
    await createLinkAndJoin({ role: 'admin' }, member);
    expect(getRole(organization.id, member.user)).toBe(role);
  });

  test('keep a higher role that they have in the organization', async () => {
    const member = await makeMemberWithRole('create');
    await createLinkAndJoin(onSpace('read'), member);
    expect(getGrants(member.user)).toEqual([]);
    expect(await json(`/v1/spaces/${space.id}`, member)).toMatchObject({ permissions: { admin: true } });
  });

  test('get a higher role on the space, but never a lower one', async () => {
    const guest = await makeMemberWithRole(null);
    for (const [level, now] of [
      ['read', 'read'],
      ['edit', 'edit'],
      ['comment', 'edit'],
      ['edit', 'edit'],
    ] as const) {
      await createLinkAndJoin(onSpace(level), guest);
      expect(getGrants(guest.user)).toEqual([{ object: space.id, role: now }]);
    }
  });

  test('joining twice changes nothing, also concurrently', async () => {
    const joiner = await platform().makeUser();
    const { id } = await makeLink(organization, onSpace('edit'));
    const before = query(
      "SELECT id FROM outbox WHERE type = 'member.added' AND organization = ?",
      organization.id,
    ).length;

    const responses = await Promise.all(Array.from({ length: 25 }, () => join(organization, id, joiner.token)));

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(getGrants(joiner.user)).toEqual([{ object: space.id, role: 'edit' }]);
    expect(
      query("SELECT id FROM outbox WHERE type = 'member.added' AND organization = ?", organization.id),
    ).toHaveLength(before + 1);
  });
});

test('the highest level wins if a user uses several links concurrently', async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const links: string[] = [];
  for (const level of ['read', 'edit', 'comment'])
    links.push((await makeLink(organization, { level, space: space.id })).id);
  for (let round = 0; round < 5; round += 1) {
    const joiner = await makeUser();
    const responses = await Promise.all(links.map((id) => join(organization, id, joiner.token)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(getGrants(joiner.user)).toEqual([{ object: space.id, role: 'edit' }]);
  }
});

test('returns 404 for a missing link or one of another organization', async () => {
  const { makeOrganization, makeUser } = platform();
  const [organization, other, joiner] = [await makeOrganization(), await makeOrganization(), await makeUser()];
  const theirs = await makeLink(other, { role: 'admin' });

  expect((await join(organization, 'inv_made_up', joiner.token)).status).toBe(404);
  expect((await join(organization, theirs.id, joiner.token)).status).toBe(404);
  expect((await join({ id: 'org_made_up' }, theirs.id, joiner.token)).status).toBe(404);
  expect(query('SELECT organization FROM members WHERE user = ?', joiner.user)).toEqual([]);
});

describe('with existing states', () => {
  const server = platform();
  let organization: TestOrganization;
  let joiner: TestUser;
  beforeAll(async () => {
    organization = await server.makeOrganization();
    joiner = await server.makeUser();
  });
  const write = (statement: string, ...values: (string | number | null)[]) =>
    writeDatabase(server, statement, ...values);
  const getStatus = async (body: object, user = joiner) =>
    (await join(organization, (await makeLink(organization, body, server)).id, user.token, server)).status;
  const isMember = ({ user }: TestUser) =>
    queryDatabase(server.dataDir, 'SELECT user FROM members WHERE organization = ? AND user = ?', organization.id, user)
      .length;

  test('a link to a collection grants access to its content', async () => {
    const collection = await makeCollection(server, organization.id, 'col_joined');
    const space = await server.makeSpace({ organization });
    await write('UPDATE spaces SET parent = ? WHERE id = ?', collection, space.id);
    const guest = await server.makeUser();

    expect(await getStatus({ level: 'edit', collection }, guest)).toBe(200);
    expect(await json(`/v1/spaces/${space.id}`, guest, server)).toMatchObject({ permissions: { edit: true } });
  });

  test.each([
    ['has invite links disabled', 'invite_links = 0', 'invite_links = 1'],
    ['enforces SSO', 'sso = 1', 'sso = 0'],
  ])('returns 412 while the organization %s', async (_, off, on) => {
    const link = await makeLink(organization, { role: 'read' }, server);
    await write(`UPDATE organizations SET ${off} WHERE id = ?`, organization.id);

    expect((await join(organization, link.id, joiner.token, server)).status).toBe(412);
    expect(isMember(joiner)).toBe(0);
    await write(`UPDATE organizations SET ${on} WHERE id = ?`, organization.id);
  });

  test('returns 404 for a link to trashed content', async () => {
    const space = await server.makeSpace({ organization });
    const link = await makeLink(organization, { level: 'read', space: space.id }, server);
    await write('UPDATE spaces SET deleted_at = 1 WHERE id = ?', space.id);

    expect((await join(organization, link.id, joiner.token, server)).status).toBe(404);
    expect(isMember(joiner)).toBe(0);
  });

  test('a disabled member stays disabled', async () => {
    const member = await server.makeUser({ organization: organization.id, role: 'read' });
    await write('UPDATE members SET disabled = 1 WHERE user = ?', member.user);

    expect(await getStatus({ role: 'admin' }, member)).toBe(404);
    expect((await server.request(`/v1/orgs/${organization.id}`, member)).status).toBe(404);
  });

  test('an explicit denial on a space is not overridden', async () => {
    const space = await server.makeSpace({ organization });
    const member = await server.makeUser({ organization: organization.id, role: 'edit' });
    await write(
      'INSERT INTO grants (object, subject, organization) VALUES (?, ?, ?)',
      space.id,
      member.user,
      organization.id,
    );

    expect(await getStatus({ level: 'admin', space: space.id }, member)).toBe(404);
    expect((await server.request(`/v1/spaces/${space.id}`, member)).status).toBe(404);
  });

  test('a service account can join no organization, and a bound token no other organization', async () => {
    const service = await server.makeUser();
    await write("UPDATE users SET kind = 'service' WHERE id = ?", service.user);
    const other = await server.makeOrganization();
    const bound = await server.makeUser({ organization: other.id, role: 'read' });
    await write('UPDATE tokens SET organization = ? WHERE user = ?', other.id, bound.user);

    for (const each of [service, bound]) {
      expect(await getStatus({ role: 'read' }, each)).toBe(403);
      expect(isMember(each)).toBe(0);
    }
  });

  test('purging a space deletes its links', async () => {
    const space = await server.makeSpace({ organization });
    const { id } = await makeLink(organization, { level: 'read', space: space.id }, server);
    await write('UPDATE spaces SET deleted_at = 1, purging_at = 1 WHERE id = ?', space.id);
    await queueJob(server, space.id, { type: 'purge_space', data: { stage: 'imports' } });
    await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

    const readSpaces = () => queryDatabase(server.dataDir, 'SELECT id FROM spaces WHERE id = ?', space.id).length;
    await until(() => readSpaces() === 0 || undefined);
    expect(queryDatabase(server.dataDir, 'SELECT id FROM invites WHERE id = ?', id)).toEqual([]);
    expect((await server.request(`${readLinks(organization)}/${id}`, organization)).status).toBe(404);
  });
});
