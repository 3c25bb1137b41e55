import { beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

let mine: TestSpace;
let theirs: TestSpace;
let own: { changeRequest: string; page: string };
let foreign: { changeRequestId: string; revisionId: string; pageId: string };

beforeAll(async () => {
  const { makeSpace } = platform();
  [mine, theirs] = [await makeSpace(), await makeSpace()];
  own = { changeRequest: (await makeChangeRequest(mine)).id, page: await makePage(mine, 'Mine', 'mine') };
  foreign = {
    changeRequestId: (await makeChangeRequest(theirs)).id,
    revisionId: theirs.revision,
    pageId: await makePage(theirs, 'Theirs', 'theirs'),
  };
});

const nested = operations.filter(({ endpoint }) =>
  /:spaceId\/.*:(changeRequestId|revisionId|pageId)/.test(endpoint.path),
);

test.each(nested)(
  "$id returns 404 for an object of another organization below the caller's own space",
  async ({ endpoint }) => {
    const bodies: Record<string, unknown> = { PATCH: { subject: 'x' }, POST: { changes: [] } };
    const response = await platform().request(
      getAddress(endpoint, { ...foreign, spaceId: mine.id, pagePath: 'theirs' }),
      {
        token: mine.token,
        method: endpoint.method,
        body: bodies[endpoint.method],
      },
    );

    expect(response.status).toBe(404);
  },
);

test.each([
  ['update_page', () => ({ operation: 'update_page', page: foreign.pageId, title: 'Taken' })],
  ['delete_page', () => ({ operation: 'delete_page', page: foreign.pageId })],
  ['revert_page', () => ({ operation: 'revert_page', page: own.page, revision: foreign.revisionId })],
  ['insert_page', () => ({ operation: 'insert_page', title: 'In', into: foreign.pageId, document: { markdown: 'x' } })],
  ['update_page', () => ({ operation: 'update_page', page: own.page, into: foreign.pageId })],
])('%s cannot access a page or revision of another space, in live content or in a change request', async (_, make) => {
  const { request } = platform();
  const getTree = (space: TestSpace) => json(`/v1/spaces/${space.id}/content/pages`, space);
  const before = [await getTree(mine), await getTree(theirs)];

  for (const branch of ['', `/change-requests/${own.changeRequest}`]) {
    const response = await request(`/v1/spaces/${mine.id}${branch}/content`, {
      token: mine.token,
      body: { changes: [{ operation: 'insert_page', title: 'All or nothing', document: { markdown: '' } }, make()] },
    });
    expect([400, 404, 409]).toContain(response.status);
  }

  expect([await getTree(mine), await getTree(theirs)]).toEqual(before);
  expect(await json(`/v1/spaces/${theirs.id}/content/page/${foreign.pageId}`, theirs)).toMatchObject({
    title: 'Theirs',
  });
});

test('a lower role applies to the next write', async () => {
  const { makeOrganization, makeSpace, makeUser, request } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const { token } = await makeUser({ organization: organization.id, role: 'edit' });
  const page = [{ operation: 'insert_page', title: 'x', document: { markdown: '' } }];
  await edit({ id: space.id, token }, page);

  await json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { defaultLevel: 'comment' } });
  expect((await request(`/v1/spaces/${space.id}/content`, { token, body: { changes: page } })).status).toBe(403);
  await json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { defaultLevel: 'none' } });
  expect((await request(`/v1/spaces/${space.id}/content`, { token, body: { changes: page } })).status).toBe(404);
});
