import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { expectPaging } from '../../support/paging.ts';
import { guest } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import type { Link } from './links.ts';
import { makeCollection, makeLink, makeManagedContent, readLinks } from './links.ts';

const getRoundTrips = (response: Response) =>
  /d1-trips;desc="(\d+)"/.exec(response.headers.get('server-timing') ?? '')?.[1];

const server = platform();

test('returns each link of the organization as a single read does, newest first', async () => {
  const organization = await server.makeOrganization();
  const other = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const collection = await makeCollection(server, organization.id, 'col_listed');
  const links: Link[] = [];
  for (const body of [{ role: 'edit' }, { level: 'read', space: space.id }, { level: 'admin', collection }])
    links.push(await makeLink(organization, body, server));
  await makeLink(other, { role: 'read' }, server);

  const list = await json<{ items: Link[] }>(readLinks(organization), organization, server);

  expect(list.items).toEqual(links.reverse());
  for (const item of list.items)
    expect(await json(`${readLinks(organization)}/${item.id}`, organization, server)).toEqual(item);
});

test('omits links to trashed content, and returns them again after a restore', async () => {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const collection = await makeCollection(server, organization.id, 'col_trashed');
  const ids = [
    (await makeLink(organization, { level: 'read', space: space.id }, server)).id,
    (await makeLink(organization, { level: 'read', collection }, server)).id,
  ];
  const count = async () => (await json<{ count: number }>(readLinks(organization), organization, server)).count;
  const setDeletionTime = async (time: number | null) => {
    await writeDatabase(server, 'UPDATE spaces SET deleted_at = ? WHERE id = ?', time, space.id);
    await writeDatabase(server, 'UPDATE collections SET deleted_at = ? WHERE id = ?', time, collection);
  };
  await setDeletionTime(1);

  expect(await count()).toBe(0);
  for (const id of ids) {
    const path = `${readLinks(organization)}/${id}`;
    const { token } = organization;
    expect((await server.request(path, organization)).status).toBe(404);
    expect((await server.request(path, { token, method: 'PATCH', body: { level: 'edit' } })).status).toBe(404);
    expect((await server.request(path, { token, method: 'DELETE' })).status).toBe(404);
  }
  await setDeletionTime(null);
  expect(await count()).toBe(2);
});

test('paginates by cursor', async () => {
  const organization = await platform().makeOrganization();
  for (const role of ['read', 'edit', null, 'admin']) await makeLink(organization, { role });

  await expectPaging(readLinks(organization), organization.token, () => makeLink(organization, { role: 'read' }));
});

test('a page takes one query, whatever content the links open', async () => {
  const { makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  for (let index = 0; index < 5; index += 1) {
    const { id } = await makeSpace({ organization });
    await makeLink(organization, { level: 'read', space: id });
  }

  expect(getRoundTrips(await request(readLinks(organization), organization))).toBe('2');
});

test.each(['read', null] as const)(
  'shows a content manager, with the role %s in the organization, only the links to that content, in one query',
  async (role) => {
    const { organization, manager, other, onto } = await makeManagedContent(role);
    const path = readLinks(organization);
    const mine: string[] = [];
    for (const body of onto('admin')) await makeLink(organization, body);
    for (const level of ['create', 'read']) {
      await makeLink(organization, { role: 'read' });
      for (const body of onto(level)) mine.unshift((await makeLink(organization, body)).id);
      await makeLink(organization, { level: 'read', space: other });
    }

    const response = await platform().request(path, { token: manager.token });
    const { items } = (await response.json()) as { items: Link[] };

    expect(getRoundTrips(response)).toBe('2');
    expect(items.map(({ id }) => id)).toEqual(mine);
    for (const item of items) expect(await json(`${path}/${item.id}`, manager)).toEqual(item);
    expect(await json(path, organization)).toMatchObject({ count: 10 });
    await expectPaging(path, manager.token, () => makeLink(organization, onto('read')[0] ?? {}));
  },
);

test('returns nothing to members and guests who manage no content', async () => {
  const { organization, onto } = await makeManagedContent();
  for (const body of [...onto('read'), { role: 'read' }]) await makeLink(organization, body);

  for (const role of ['review', 'read', guest]) {
    const { token } = await platform().makeUser({ organization: organization.id, role });
    expect(await json(readLinks(organization), { token })).toEqual({ count: 0, items: [] });
  }
});
