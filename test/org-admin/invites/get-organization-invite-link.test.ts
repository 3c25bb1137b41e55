import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { Link } from './links.ts';
import { grantRole, makeLink, makeManagedContent, readLinks } from './links.ts';

test('returns a link', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'comment' });

  expect(await json(`${readLinks(organization)}/${link.id}`, organization)).toEqual(link);
});

test('returns 404 for a missing link or one of another organization', async () => {
  const { makeOrganization, request } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  for (const id of ['inv_made_up', theirs.id]) {
    expect((await request(`${readLinks(organization)}/${id}`, organization)).status).toBe(404);
  }
});

test('returns links to content that the caller manages, and 404 for all others', async () => {
  const { organization, manager, space, other, onto } = await makeManagedContent(null);
  const read = (id: string, token = manager.token) => platform().request(`${readLinks(organization)}/${id}`, { token });
  const [onSpace, onCollection] = [
    await makeLink(organization, onto('create')[0] ?? {}),
    await makeLink(organization, onto('read')[1] ?? {}),
  ];
  const theirs = [
    await makeLink(organization, { role: null }),
    await makeLink(organization, { role: 'read' }),
    await makeLink(organization, { level: 'read', space: other }),
    await makeLink(organization, onto('admin')[0] ?? {}),
  ];

  const link = (await (await read(onSpace.id)).json()) as Link;
  expect(link).toEqual({ ...onSpace, redundant: true, space: await json(`/v1/spaces/${space}`, manager) });
  expect(await (await read(onCollection.id)).json()).toMatchObject({ id: onCollection.id, redundant: true });
  for (const { id } of theirs) {
    expect((await read(id)).status).toBe(404);
    expect((await read(id, organization.token)).status).toBe(200);
  }

  await grantRole(organization, `spaces/${space}`, manager.user, 'review');
  expect((await read(onSpace.id)).status).toBe(404);
});

test('create rights on the organization include links to content that inherits them, but not to the organization', async () => {
  const { organization, other, onto } = await makeManagedContent();
  const { token } = await platform().makeUser({ organization: organization.id, role: 'create' });
  const bodies = [...onto('read'), { level: 'read', space: other }, { role: 'read' }];

  const statuses: number[] = [];
  for (const body of bodies) {
    const { id } = await makeLink(organization, body);
    statuses.push((await platform().request(`${readLinks(organization)}/${id}`, { token })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 404]);
});
