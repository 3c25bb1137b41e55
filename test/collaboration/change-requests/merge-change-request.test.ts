import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const insert = (title: string) => [{ operation: 'insert_page', title, document: { markdown: 'x' } }];

const read = <Body = Record<string, unknown>>({ id, token }: TestSpace, path = '') =>
  json<Body>(`/v1/spaces/${id}${path}`, { token });

test('merges the changes into the live content only once', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space, 'A subject');
  const [page] = await edit(space, insert('New'), id);

  const response = await merge(space, id);
  const { revision } = (await response.json()) as { revision: string };

  expect(response.status).toBe(200);
  expect(await read(space, `/change-requests/${id}`)).toMatchObject({
    status: 'merged',
    revisionMerged: revision,
    outdated: false,
  });
  expect(await read(space)).toMatchObject({
    revision,
    changeRequests: 1,
    changeRequestsDraft: 0,
    changeRequestsOpen: 0,
  });
  expect(await read(space, `/content/page/${page}`)).toMatchObject({ title: 'New', markdown: 'x' });
  const secondResponse = await merge(space, id);
  expect(secondResponse.status).toBe(409);
  expect(await secondResponse.json()).toMatchObject({ error: { type: 'conflict' } });
  expect(await read(space)).toMatchObject({ revision });
});

test('returns 409 for an archived change request until it is reopened', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const { id } = await makeChangeRequest(space);
  const setStatus = (status: string) =>
    request(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token, method: 'PATCH', body: { status } });
  await edit(space, insert('New'), id);
  await setStatus('archived');

  expect((await merge(space, id)).status).toBe(409);
  await setStatus('open');
  expect((await merge(space, id)).status).toBe(200);
});

test('lists conflicts and merges nothing', async () => {
  const space = await platform().makeSpace();
  const page = await makePage(space, 'A page', 'one line\n');
  const { id } = await makeChangeRequest(space);
  const rewrite = (markdown: string) => [{ operation: 'update_page', page, document: { markdown } }];
  await edit(space, rewrite('theirs\n'), id);
  await edit(space, rewrite('ours\n'));
  const { revision } = await read(space);

  const response = await merge(space, id);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ result: 'conflicts', conflicts: [{ kind: 'page', id: page }] });
  expect(await read(space)).toMatchObject({ revision });
  expect(await read(space, `/change-requests/${id}`)).toMatchObject({ status: 'draft' });
});

test('25 concurrent merges create one merge, and all return the same response', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space);
  await edit(space, insert('New'), id);

  const responses = await Promise.all(Array.from({ length: 25 }, () => merge(space, id)));
  const merged = await Promise.all(
    responses.filter(({ ok }) => ok).map(async (response) => (await response.json()) as { revision: string }),
  );

  expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(new Set(merged.map(({ revision }) => revision)).size).toBe(1);
  expect(query('SELECT seq FROM revisions WHERE branch = ? ORDER BY seq', space.id)).toEqual([{ seq: 1 }, { seq: 2 }]);
  expect(query("SELECT id FROM outbox WHERE space = ? AND type = 'change_request.merged'", space.id)).toHaveLength(1);
});
