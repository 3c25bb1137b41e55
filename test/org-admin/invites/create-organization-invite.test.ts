import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { Link } from './links.ts';
import { grantRole, makeCollection, makeLink, makeManagedContent, readLinks, send } from './links.ts';

const server = platform();

test.each(['admin', 'create', 'review', 'edit', 'comment', 'read', null])(
  'creates a link with the role %s',
  async (role) => {
    const organization = await platform().makeOrganization();

    const link = await makeLink(organization, { role });

    expect(link).toEqual({ object: 'invite', id: expect.stringMatching(/^inv_\w{20}$/), redundant: true, role });
    expect(query('SELECT type, actor FROM outbox WHERE data = ?', JSON.stringify({ invite: link.id }))).toEqual([
      { type: 'invite.created', actor: organization.user },
    ]);
  },
);

test('creates a link to a space, and returns the space equal to its single read', async () => {
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

test('creates a link to a collection', async () => {
  const organization = await server.makeOrganization();
  const collection = await makeCollection(server, organization.id, 'col_here');

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
])('rejects %j', async (body) => {
  const organization = await platform().makeOrganization();

  const response = await platform().request(readLinks(organization), { token: organization.token, body });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
});

test('returns 404 for content that is missing, deleted, of another kind or in another organization', async () => {
  const organization = await server.makeOrganization();
  const theirs = await server.makeSpace();
  const trashed = await server.makeSpace({ organization });
  await writeDatabase(server, 'UPDATE spaces SET deleted_at = 1 WHERE id = ?', trashed.id);
  const collection = await makeCollection(server, organization.id, 'col_other_kind');
  const theirCollection = await makeCollection(server, theirs.organization, 'col_theirs');
  const bodies = [
    ...['spc_made_up', theirs.id, trashed.id, collection].map((space) => ({ level: 'read', space })),
    ...['col_made_up', theirCollection, theirs.id].map((id) => ({ level: 'read', collection: id })),
  ];

  for (const body of bodies) {
    const response = await server.request(readLinks(organization), { token: organization.token, body });
    expect([body, response.status]).toEqual([body, 404]);
  }
  expect(await json(readLinks(organization), organization, server)).toMatchObject({ count: 0 });
});

test('returns 412 while the organization disables invite links', async () => {
  const organization = await server.makeOrganization();
  await writeDatabase(server, 'UPDATE organizations SET invite_links = 0 WHERE id = ?', organization.id);

  const response = await server.request(readLinks(organization), { token: organization.token, body: { role: 'read' } });

  expect(response.status).toBe(412);
});

test('an organization has at most 1,000 links, also concurrently', async () => {
  const organization = await server.makeOrganization();
  await writeDatabase(
    server,
    `INSERT INTO invites (id, organization, role, created_by, created_at)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 990)
      SELECT 'inv_' || ? || n, ?, 'read', '', n FROM n`,
    organization.id,
    organization.id,
  );
  const calls = Array.from({ length: 25 }, () =>
    server.request(readLinks(organization), { token: organization.token, body: { role: 'read' } }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.filter((status) => status === 409)).toHaveLength(15);
});

const forms = '`body` must have only `role`, or `level` with `space` or `collection`.';
const oneOfRoles = 'must be one of: admin, create, review, edit, comment, read.';

test.each([
  [{}, forms],
  [[], forms],
  [{ level: 'edit' }, forms],
  [{ space: 'spc_x' }, forms],
  [{ role: 'read', level: 'read', space: 'spc_x' }, forms],
  [{ level: 'read', space: 'spc_x', collection: 'col_x' }, forms],
  [{ role: 'owner' }, `\`body.role\` ${oneOfRoles}`],
  [{ level: 'owner', space: 'spc_x' }, `\`body.level\` ${oneOfRoles}`],
  [{ level: 'owner', collection: 'col_x' }, `\`body.level\` ${oneOfRoles}`],
])('reports only one issue for %j', async (body, message) => {
  const organization = await platform().makeOrganization();

  const response = await send(organization, organization.token, body);

  expect(await response.json()).toMatchObject({ error: { message, issues: [{}] } });
});

test.each(['read', null] as const)(
  'a user with create rights on content, and the role %s in the organization, can create links to it up to that level',
  async (role) => {
    const { organization, manager, onto } = await makeManagedContent(role);

    for (const level of ['create', 'review', 'read', null])
      for (const body of onto(level)) {
        const response = await send(organization, manager.token, body);
        expect(response.status).toBe(201);
        const link = (await response.json()) as Link;
        expect(link).toMatchObject({ level, redundant: true });
        const [kind, object] = link.space ? ['spaces', link.space] : ['collections', link.collection];
        expect(object).toEqual(await json(`/v1/${kind}/${object?.id}`, manager));
      }
    for (const body of onto('admin')) expect((await send(organization, manager.token, body)).status).toBe(403);
    expect(await json(readLinks(organization), organization)).toMatchObject({ count: 8 });
  },
);

test.each(['create', 'review', 'read'])(
  'a member with the role %s creates no link to the organization',
  async (role) => {
    const { makeOrganization, makeSpace, makeUser } = platform();
    const organization = await makeOrganization();
    const { id: space } = await makeSpace({ organization });
    const { token } = await makeUser({ organization: organization.id, role });

    for (const role of [null, 'read', 'admin']) expect((await send(organization, token, { role })).status).toBe(403);
    const onSpace = role === 'create' ? 201 : 403;
    expect((await send(organization, token, { level: 'read', space })).status).toBe(onSpace);
    expect((await send(organization, token, { level: 'admin', space })).status).toBe(403);
  },
);

test('returns 403 for content that the caller can view but not manage, and 404 for invisible content', async () => {
  const { organization, manager, other, collection } = await makeManagedContent(null);
  const seen = [
    { level: 'read', space: other },
    { level: 'read', collection },
  ];
  await grantRole(organization, `spaces/${other}`, manager.user, 'review');
  await grantRole(organization, `collections/${collection}`, manager.user, 'review');
  for (const body of seen) expect((await send(organization, manager.token, body)).status).toBe(403);

  await grantRole(organization, `spaces/${other}`, manager.user, null);
  await grantRole(organization, `collections/${collection}`, manager.user, null);
  for (const body of seen) expect((await send(organization, manager.token, body)).status).toBe(404);
});

test('managing content in one organization allows no links to it in another', async () => {
  const { manager, onto } = await makeManagedContent();
  const own = await json<{ id: string }>('/v1/orgs', { token: manager.token, body: { title: 'Their own' } });

  for (const body of onto('read')) expect((await send(own, manager.token, body)).status).toBe(404);
});
