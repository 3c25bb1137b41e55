import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { grantRole, join, makeLink, makeManagedContent, readLinks } from './links.ts';

const remove = ({ id, token }: { id: string; token: string }, invite: string) =>
  platform().request(`${readLinks({ id })}/${invite}`, { token, method: 'DELETE' });

test('deletes a link, so that it admits no one any more', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const link = await makeLink(organization, { role: 'read' });

  expect((await remove(organization, link.id)).status).toBe(205);
  expect(await json(readLinks(organization), organization)).toEqual({ count: 0, items: [] });
  expect((await join(organization, link.id, (await makeUser()).token)).status).toBe(404);
});

test('returns 404 the second time, also for concurrent requests', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'read' });

  const responses = await Promise.all(Array.from({ length: 25 }, () => remove(organization, link.id)));

  expect(responses.map(({ status }) => status).sort()).toEqual([205, ...Array.from({ length: 24 }, () => 404)]);
});

test('returns 404 for a link of another organization', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  expect((await remove(organization, theirs.id)).status).toBe(404);
  expect(await json(readLinks(other), other)).toMatchObject({ count: 1 });
});

test.each(['read', null] as const)(
  'a user with create rights on content, and the role %s in the organization, can delete its links up to that level',
  async (role) => {
    const { organization, manager, onto } = await makeManagedContent(role);
    const asManager = { id: organization.id, token: manager.token };

    for (const body of [...onto('create'), ...onto(null)])
      expect((await remove(asManager, (await makeLink(organization, body)).id)).status).toBe(205);
    for (const body of onto('admin'))
      expect((await remove(asManager, (await makeLink(organization, body)).id)).status).toBe(404);

    expect(await json(readLinks(organization), organization)).toMatchObject({ count: 2 });
  },
);

test('cannot delete links to content that the caller does not manage, or to the organization', async () => {
  const { organization, manager, space, other, onto } = await makeManagedContent();
  const asManager = { id: organization.id, token: manager.token };
  const links = [
    await makeLink(organization, { role: null }),
    await makeLink(organization, { level: 'read', space: other }),
    await makeLink(organization, onto('read')[0] ?? {}),
  ];
  await grantRole(organization, `spaces/${space}`, manager.user, 'review');

  for (const { id } of links) expect((await remove(asManager, id)).status).toBe(404);
  expect(await json(readLinks(organization), organization)).toMatchObject({ count: 3 });
});
