import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { Link } from './links.ts';
import { grantRole, makeLink, makeManagedContent, readLinks } from './links.ts';

const patch = (organization: { id: string; token: string }, id: string, body: object) =>
  platform().request(`${readLinks(organization)}/${id}`, { token: organization.token, method: 'PATCH', body });

test('changes the role of a link to the organization', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'admin' });

  for (const role of ['read', null]) {
    const response = await patch(organization, link.id, { role });
    expect(await response.json()).toEqual({ ...link, role });
    expect(await json(`${readLinks(organization)}/${link.id}`, organization)).toEqual({ ...link, role });
  }
  expect(
    query("SELECT id FROM outbox WHERE type = 'invite.updated' AND organization = ?", organization.id),
  ).toHaveLength(2);
});

test('changes the level of a link to a space', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const { id: space } = await makeSpace({ organization });
  const link = await makeLink(organization, { level: 'read', space });

  const response = await patch(organization, link.id, { level: 'review' });

  expect(await response.json()).toEqual({ ...link, level: 'review' });
});

test('rejects a level for a link to the organization, a role for a link to a space, and other fields for both', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const { id: space } = await makeSpace({ organization });
  const [toAll, toSpace] = [
    await makeLink(organization, { role: 'read' }),
    await makeLink(organization, { level: 'read', space }),
  ];

  const responses = [
    await patch(organization, toAll.id, { level: 'admin' }),
    await patch(organization, toSpace.id, { role: 'admin' }),
    await patch(organization, toAll.id, { role: 'admin', level: 'admin' }),
    await patch(organization, toSpace.id, { level: 'admin', space: 'spc_mine' }),
    await patch(organization, toAll.id, {}),
  ];

  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect((await json<{ items: object[] }>(readLinks(organization), organization)).items).toEqual([toSpace, toAll]);
});

test('returns 404 for a link of another organization', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  for (const id of ['inv_made_up', theirs.id])
    expect((await patch(organization, id, { role: 'admin' })).status).toBe(404);
  expect(await json(`${readLinks(other)}/${theirs.id}`, other)).toEqual(theirs);
});

test.each([{}, [], { role: 'read', level: 'read' }, { space: 'spc_x' }])(
  'reports the problem in the body %j',
  async (body) => {
    const organization = await platform().makeOrganization();
    const link = await makeLink(organization, { role: 'read' });

    const response = await patch(organization, link.id, body);

    const issues = [{ path: 'body', message: 'must have either `role` or `level`' }];
    expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: expect.arrayContaining(issues) } });
  },
);

test.each(['read', null] as const)(
  'a user with create rights on content can change its links up to their organization role %s',
  async (role) => {
    const { organization, manager, onto } = await makeManagedContent(role);
    const asManager = { id: organization.id, token: manager.token };
    for (const [index, body] of onto('read').entries()) {
      const { id } = await makeLink(organization, body);
      const above = await makeLink(organization, onto('admin')[index] ?? {});

      expect((await patch(asManager, id, { level: 'admin' })).status).toBe(403);
      for (const level of ['create', null, 'review']) {
        const response = await patch(asManager, id, { level });
        expect([response.status, await response.json()]).toMatchObject([200, { level, redundant: true }]);
      }
      for (const level of ['read', 'admin', null])
        expect((await patch(asManager, above.id, { level })).status).toBe(404);
      const path = readLinks(organization);
      expect(await json<Link>(`${path}/${id}`, organization)).toMatchObject({ level: 'review' });
      expect(await json<Link>(`${path}/${above.id}`, organization)).toEqual(above);
    }
  },
);

test('cannot change links to content that the caller does not manage, or to the organization', async () => {
  const { organization, manager, space, other, onto } = await makeManagedContent();
  const asManager = { id: organization.id, token: manager.token };
  const [toAll, toOther, lost] = [
    await makeLink(organization, { role: 'read' }),
    await makeLink(organization, { level: 'read', space: other }),
    await makeLink(organization, onto('read')[0] ?? {}),
  ];
  await grantRole(organization, `spaces/${space}`, manager.user, 'review');

  expect((await patch(asManager, toAll.id, { role: null })).status).toBe(404);
  for (const { id } of [toOther, lost]) expect((await patch(asManager, id, { level: null })).status).toBe(404);
  for (const link of [toAll, toOther, lost])
    expect(await json(`${readLinks(organization)}/${link.id}`, organization)).toEqual(link);
});
