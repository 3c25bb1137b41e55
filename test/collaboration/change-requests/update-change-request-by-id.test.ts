import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, merge } from '../../support/content.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const patch = (space: TestSpace, id: string, body: unknown) =>
  platform().request(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token, method: 'PATCH', body });

const readCounters = async ({ id, token }: TestSpace) => {
  const space = await json<Record<string, number>>(`/v1/spaces/${id}`, { token });
  return [space.changeRequests, space.changeRequestsOpen, space.changeRequestsDraft];
};

test('changes the subject and the status, and the space counts the change requests by status', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space);

  expect(await readCounters(space)).toEqual([1, 0, 1]);
  expect(await (await patch(space, id, { subject: 'New' })).json()).toMatchObject({ subject: 'New', status: 'draft' });
  expect(await (await patch(space, id, { status: 'open' })).json()).toMatchObject({ subject: 'New', status: 'open' });
  expect(await readCounters(space)).toEqual([1, 1, 0]);
  expect((await patch(space, id, { status: 'archived' })).status).toBe(200);
  expect(await readCounters(space)).toEqual([1, 0, 0]);
  expect((await patch(space, id, { status: 'open' })).status).toBe(200);
  expect(await readCounters(space)).toEqual([1, 1, 0]);
  expect((await patch(space, id, {})).status).toBe(200);
  expect(await json(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token })).toMatchObject({
    subject: 'New',
    status: 'open',
  });
});

test.each([[{ status: 'merged' }], [{ status: 'closed' }], [{ status: null }], [{ subject: 'x'.repeat(101) }]])(
  'rejects %j',
  async (body) => {
    const space = await platform().makeSpace();
    const { id } = await makeChangeRequest(space, 'As it was');

    expect((await patch(space, id, body)).status).toBe(400);
    expect(await json(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token })).toMatchObject({
      status: 'draft',
      subject: 'As it was',
    });
  },
);

test('returns 409 for a merged change request', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space, 'As it was');
  await edit(space, [{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }], id);
  await merge(space, id);

  for (const body of [{ subject: 'New' }, { status: 'open' }, { status: 'archived' }]) {
    expect((await patch(space, id, body)).status).toBe(409);
  }
  expect(await json(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token })).toMatchObject({
    status: 'merged',
    subject: 'As it was',
  });
});

test('concurrent changes of different fields are both applied', async () => {
  const space = await platform().makeSpace();
  const changeRequests = await Promise.all(Array.from({ length: 10 }, () => makeChangeRequest(space, 'Old')));

  await Promise.all(
    changeRequests.flatMap(({ id }) => [patch(space, id, { subject: 'New' }), patch(space, id, { status: 'open' })]),
  );

  for (const { id } of changeRequests) {
    expect(await json(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token })).toMatchObject({
      subject: 'New',
      status: 'open',
    });
  }
});
