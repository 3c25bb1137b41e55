import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

test('pulls the live content, so that the change request is up to date', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const { token } = space;
  const changeRequest = await makeChangeRequest(space);
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}`;
  await edit(space, [{ operation: 'insert_page', title: 'Mine', document: { markdown: 'x' } }], changeRequest.id);
  await makePage(space, 'Theirs');
  const { revision: live } = await json<{ revision: string }>(`/v1/spaces/${space.id}`, { token });

  const response = await request(`${path}/update`, { token, method: 'POST' });
  const { revision } = (await response.json()) as { revision: string };

  expect(response.status).toBe(200);
  expect(await json(path, { token })).toMatchObject({
    outdated: false,
    revision,
    revisionInitial: space.revision,
    revisionMergedAncestor: live,
  });
  const { pages } = await json<{ pages: { title: string }[] }>(`${path}/content/pages`, { token });
  expect(pages.map(({ title }) => title).sort()).toEqual(['Mine', 'Theirs']);
});

test('returns 409 for a merged or archived change request', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const [merged, archived] = [await makeChangeRequest(space), await makeChangeRequest(space)];
  const path = `/v1/spaces/${space.id}/change-requests`;
  await edit(space, [{ operation: 'insert_page', title: 'Mine', document: { markdown: 'x' } }], merged.id);
  await merge(space, merged.id);
  await json(`${path}/${archived.id}`, { token: space.token, method: 'PATCH', body: { status: 'archived' } });

  for (const { id } of [merged, archived]) {
    expect((await request(`${path}/${id}/update`, { token: space.token, method: 'POST' })).status).toBe(409);
  }
});
