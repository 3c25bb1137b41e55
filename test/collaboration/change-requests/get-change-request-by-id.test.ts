import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

test('accepts the ID or the number in the space', async () => {
  const space = await platform().makeSpace();
  await makeChangeRequest(space, 'First');
  const second = await makeChangeRequest(space, 'Second');
  const read = (id: string | number) => json(`/v1/spaces/${space.id}/change-requests/${id}`, { token: space.token });

  expect(await read(second.number)).toEqual(await read(second.id));
  expect(await read(1)).toMatchObject({ subject: 'First' });
});

test('returns 404 for the ID of another space, and for an unused number', async () => {
  const { makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const [mine, other] = [await makeSpace({ organization }), await makeSpace({ organization })];
  const changeRequest = await makeChangeRequest(other);

  for (const id of [changeRequest.id, '1', '0', '99999999999999999999', '-1', '1e0']) {
    const response = await request(`/v1/spaces/${mine.id}/change-requests/${id}`, { token: mine.token });
    expect([id, response.status]).toEqual([id, 404]);
  }
});

test('returns its current revision, and whether it is outdated', async () => {
  const space = await platform().makeSpace();
  const changeRequest = await makeChangeRequest(space);
  const read = () =>
    json<Record<string, unknown>>(`/v1/spaces/${space.id}/change-requests/${changeRequest.id}`, { token: space.token });

  await edit(
    space,
    [{ operation: 'insert_page', title: 'In the change', document: { markdown: 'x' } }],
    changeRequest.id,
  );
  const edited = await read();
  await makePage(space, 'Live');

  expect(edited).toMatchObject({ revisionInitial: space.revision, outdated: false });
  expect(edited.revision).not.toBe(space.revision);
  expect(await read()).toMatchObject({ revision: edited.revision, outdated: true });
});

test('returns how it was created, and who merged it and when', async () => {
  const organization = await platform().makeOrganization();
  const { edit, merge, patch, path } = await createReviewClient(organization);
  const read = () => json<Record<string, unknown>>(path, { token: organization.token });
  await edit();
  await patch({ description: 'Why.' });
  expect(await read()).toMatchObject({ description: 'Why.' });
  expect(await read()).not.toHaveProperty('mergedBy');

  expect((await merge()).status).toBe(200);

  const merged = await read();
  expect(merged).toMatchObject({ description: 'Why.', mergedBy: { id: organization.user } });
  expect(merged.mergedAt).toBe(merged.updatedAt);
});
