import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { linksOf, makeCollection, makeLink } from './links.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform();
});
afterAll(() => server?.remove());

test.each(['admin', 'create', 'review', 'edit', 'comment', 'read', null])(
  'makes a link with the role %s',
  async (role) => {
    const organization = await platform().makeOrganization();

    const link = await makeLink(organization, { role });

    expect(link).toEqual({ object: 'invite', id: expect.stringMatching(/^inv_\w{20}$/), redundant: true, role });
    expect(query('SELECT type, actor FROM outbox WHERE data = ?', JSON.stringify({ invite: link.id }))).toEqual([
      { type: 'invite.created', actor: organization.user },
    ]);
  },
);

test('makes a link onto a space, and shows the space as reading it does', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });

  const link = await makeLink(organization, { level: 'edit', space: space.id });

  expect(link).toEqual({
    object: 'invite',
    id: link.id,
    redundant: true,
    level: 'edit',
    space: await json(`/v1/spaces/${space.id}`, organization),
  });
});

test('makes a link onto a collection', async () => {
  const organization = await server.makeOrganization();
  const collection = makeCollection(server, organization.id, 'col_here');

  expect(await makeLink(organization, { level: null, collection }, server)).toEqual({
    object: 'invite',
    id: expect.any(String),
    redundant: true,
    level: null,
    collection: expect.objectContaining({
      object: 'collection',
      id: collection,
      title: 'A collection',
      permissions: { view: true, admin: true, viewInviteLinks: true, create: true },
    }),
  });
});

test.each([
  [{}],
  [{ role: 'owner' }],
  [{ role: 'read', level: 'read' }],
  [{ role: 'read', space: 'spc_x' }],
  [{ level: 'read' }],
  [{ level: 'read', space: 'spc_x', collection: 'col_x' }],
  [{ level: 'none', space: 'spc_x' }],
  [{ space: 'spc_x' }],
  [{ level: 'read', space: '../x' }],
  [{ role: 'read', id: 'inv_mine' }],
  [[]],
])('refuses %j', async (body) => {
  const organization = await platform().makeOrganization();

  const answer = await platform().request(linksOf(organization), { token: organization.token, body });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
});

test('1, 39: answers 404 for what is not there, of another organization, of the other kind, or deleted', async () => {
  const organization = await server.makeOrganization();
  const theirs = await server.makeSpace();
  const trashed = await server.makeSpace({ organization });
  writePast(server.dataDir, 'UPDATE spaces SET deleted_at = 1 WHERE id = ?', trashed.id);
  const collection = makeCollection(server, organization.id, 'col_other_kind');
  const theirCollection = makeCollection(server, theirs.organization, 'col_theirs');
  const bodies = [
    ...['spc_made_up', theirs.id, trashed.id, collection].map((space) => ({ level: 'read', space })),
    ...['col_made_up', theirCollection, theirs.id].map((id) => ({ level: 'read', collection: id })),
  ];

  for (const body of bodies) {
    const answer = await server.request(linksOf(organization), { token: organization.token, body });
    expect([body, answer.status]).toEqual([body, 404]);
  }
  expect(await json(linksOf(organization), organization, server)).toMatchObject({ count: 0 });
});

test('answers 412 while the organization has invite links switched off', async () => {
  const organization = await server.makeOrganization();
  writePast(server.dataDir, 'UPDATE organizations SET invite_links = 0 WHERE id = ?', organization.id);

  const answer = await server.request(linksOf(organization), { token: organization.token, body: { role: 'read' } });

  expect(answer.status).toBe(412);
});

test('an organization has at most 1,000 links, however many are asked for at once', async () => {
  const organization = await server.makeOrganization();
  writePast(
    server.dataDir,
    `INSERT INTO invites (id, organization, role, created_by, created_at)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 990)
      SELECT 'inv_' || ? || n, ?, 'read', '', n FROM n`,
    organization.id,
    organization.id,
  );
  const calls = Array.from({ length: 25 }, () =>
    server.request(linksOf(organization), { token: organization.token, body: { role: 'read' } }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.filter((status) => status === 409)).toHaveLength(15);
});
