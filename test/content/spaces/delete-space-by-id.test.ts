import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge, searchSpace } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';

const remove = (id: string, token: string) => platform().request(`/v1/spaces/${id}`, { token, method: 'DELETE' });

test('a deleted space is visible only to users who can restore it', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'A page', 'About walruses.');
  const changeRequest = await makeChangeRequest(space);
  await until(async () => ((await searchSpace(space, 'walruses')).count === 1 ? true : undefined));
  const reader = await platform().makeUser({ organization: organization.id, role: 'review' });

  const response = await remove(space.id, space.token);

  expect(response.status).toBe(205);
  expect(await response.text()).toBe('');
  const below = [
    '/content',
    '/content/pages',
    `/content/page/${page}`,
    '/change-requests',
    `/change-requests/${changeRequest.id}`,
    `/change-requests/${changeRequest.id}/content`,
    `/revisions/${space.revision}`,
    '/search?query=walruses',
  ];
  for (const path of below) {
    const { status } = await platform().request(`/v1/spaces/${space.id}${path}`, { token: space.token });
    expect([path, status]).toEqual([path, 404]);
  }
  expect(await json(`/v1/spaces/${space.id}`, { token: space.token })).toMatchObject({ deletedAt: expect.any(String) });
  expect((await platform().request(`/v1/spaces/${space.id}`, { token: reader.token })).status).toBe(404);
  expect(await json(`/v1/orgs/${organization.id}/spaces`, { token: organization.token })).toMatchObject({ count: 0 });
  expect(await searchOrganization(organization, 'walruses')).toMatchObject({ count: 0 });
  expect(query('SELECT type FROM outbox WHERE space = ? AND type = ?', space.id, 'space.deleted')).toHaveLength(1);
});

test('a deleted space cannot be deleted, changed, moved or duplicated', async () => {
  const space = await platform().makeSpace();
  await remove(space.id, space.token);
  const { deleted_at } = query('SELECT deleted_at FROM spaces WHERE id = ?', space.id)[0] ?? {};
  const calls = [
    { path: '', method: 'DELETE' },
    { path: '', method: 'PATCH', body: { title: 'x' } },
    { path: '/move', method: 'POST', body: {} },
    { path: '/duplicate', method: 'POST' },
    { path: '/transfer', method: 'POST', body: { organization: space.organization } },
    { path: '/content', method: 'POST', body: { changes: [{ operation: 'insert_page', title: 'x' }] } },
    { path: '/change-requests', method: 'POST', body: {} },
  ];
  for (const { path, ...options } of calls) {
    const { status } = await platform().request(`/v1/spaces/${space.id}${path}`, { token: space.token, ...options });
    expect([path, options.method, status]).toEqual([path, options.method, 404]);
  }
  expect(query('SELECT deleted_at FROM spaces WHERE id = ?', space.id)).toEqual([{ deleted_at }]);
});

test('only one of 25 concurrent deletes succeeds, and no merge or edit follows it', async () => {
  const space = await platform().makeSpace();
  const requests = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const { id } = await makeChangeRequest(space);
      await edit(space, [{ operation: 'insert_page', title: `Page ${index}`, document: { markdown: '' } }], id);
      return id;
    }),
  );
  const attempt = async (index: number) => {
    const branch = requests[index % 8] ?? '';
    if (index % 3 === 0) return (await merge(space, branch)).status;
    const path = `/v1/spaces/${space.id}/change-requests/${branch}/content`;
    const body = { changes: [{ operation: 'insert_page', title: 'Late', document: { markdown: '' } }] };
    return (await platform().request(path, { token: space.token, body })).status;
  };

  const [removed] = await Promise.all([
    Promise.all(Array.from({ length: 25 }, async () => (await remove(space.id, space.token)).status)),
    Promise.all(Array.from({ length: 25 }, (_, index) => attempt(index))),
  ]);

  expect(removed.filter((status) => status === 205)).toHaveLength(1);
  expect(removed.filter((status) => status === 404)).toHaveLength(24);
  const countRevisions = () => query('SELECT COUNT(*) AS count FROM revisions WHERE space = ?', space.id);
  const before = countRevisions();
  for (let index = 0; index < 8; index += 1) expect(await attempt(index)).toBe(404);
  expect(countRevisions()).toEqual(before);
});

test('requires the right to manage the space', async () => {
  const organization = await platform().makeOrganization();
  const { id, token } = await platform().makeSpace({ organization });
  const reviewer = await platform().makeUser({ organization: organization.id, role: 'review' });
  const stranger = await platform().makeUser();

  expect((await remove(id, reviewer.token)).status).toBe(403);
  expect((await remove(id, stranger.token)).status).toBe(404);
  expect((await platform().request(`/v1/spaces/${id}/content`, { token })).status).toBe(200);
});
