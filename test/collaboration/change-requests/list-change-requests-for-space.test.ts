import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, merge } from '../../support/content.ts';
import { expectPaging, walk } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';

test('filters by status, open by default, and returns each change request equal to its single read', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const { token } = space;
  const path = `/v1/spaces/${space.id}/change-requests`;
  const ids: Record<string, string> = {};
  for (const status of ['draft', 'open', 'archived', 'merged']) {
    const { id } = await makeChangeRequest(space, status);
    ids[status] = id;
    if (status === 'open' || status === 'archived')
      await json(`${path}/${id}`, { token, method: 'PATCH', body: { status } });
  }
  const merged = ids.merged ?? '';
  await edit(space, [{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }], merged);
  await merge(space, merged);

  for (const [status, id] of Object.entries(ids)) {
    expect(await json(`${path}?status=${status}`, { token })).toEqual({
      count: 1,
      items: [await json(`${path}/${id}`, { token })],
    });
  }
  expect(await walk(path, token)).toEqual([ids.open]);
  expect((await request(`${path}?status=closed`, { token })).status).toBe(400);
});

test('filters by contributor', async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const editor = await makeUser({ organization: organization.id, role: 'edit' });
  const theirs = await makeChangeRequest(space);
  await makeChangeRequest(space);
  const page = { operation: 'insert_page', title: 'New', document: { markdown: 'x' } };
  await edit({ id: space.id, token: editor.token }, [page], theirs.id);
  const path = `/v1/spaces/${space.id}/change-requests?status=draft&contributor=`;

  expect(await walk(path + editor.user, space.token)).toEqual([theirs.id]);
  expect(await walk(`${path}usr_nobody`, space.token)).toEqual([]);
});

test('paginates by cursor, newest first', async () => {
  const space = await platform().makeSpace();
  const ids: string[] = [];
  for (const subject of ['one', 'two', 'three', 'four']) ids.unshift((await makeChangeRequest(space, subject)).id);
  const path = `/v1/spaces/${space.id}/change-requests?status=draft`;

  expect(new Set(await walk(path, space.token))).toEqual(new Set(ids));
  await expectPaging(path, space.token, () => makeChangeRequest(space));
});
