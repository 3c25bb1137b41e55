import { expect, test } from 'vitest';
import { json, makeChangeRequest } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

test('creates a draft based on the head of the live content', async () => {
  const { makeSpace, request, url } = platform();
  const space = await makeSpace();

  const response = await request(`/v1/spaces/${space.id}/change-requests`, {
    token: space.token,
    body: { subject: 'Fix a typo' },
  });
  const changeRequest = (await response.json()) as { id: string };
  const location = `${url}/v1/spaces/${space.id}/change-requests/${changeRequest.id}`;

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(location);
  expect(changeRequest).toEqual({
    object: 'change-request',
    id: expect.stringMatching(/^cr_\w{20}$/),
    space: space.id,
    number: 1,
    status: 'draft',
    subject: 'Fix a typo',
    createdBy: expect.objectContaining({ object: 'user', displayName: 'A tester' }),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    revision: space.revision,
    revisionInitial: space.revision,
    comments: 0,
    outdated: false,
    urls: { location, app: location.replace('/v1/', '/app/') },
  });
  expect(await json(new URL(location).pathname, { token: space.token })).toEqual(changeRequest);
});

test('needs no body', async () => {
  const { makeSpace, request } = platform();
  const { id, token } = await makeSpace();

  const response = await request(`/v1/spaces/${id}/change-requests`, { token, method: 'POST' });

  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ subject: '', number: 1 });
});

test('25 concurrent requests get consecutive numbers, and the space counts them', async () => {
  const space = await platform().makeSpace();

  const changeRequests = await Promise.all(Array.from({ length: 25 }, () => makeChangeRequest(space)));

  expect(changeRequests.map(({ number }) => number).sort((one, other) => one - other)).toEqual(
    changeRequests.map((_, index) => index + 1),
  );
  expect(await json(`/v1/spaces/${space.id}`, { token: space.token })).toMatchObject({
    changeRequests: 25,
    changeRequestsDraft: 25,
    changeRequestsOpen: 0,
  });
});

test.each([[{ subject: 'x'.repeat(101) }], [{ subject: 7 }], [[]], ['x'], [null]])('rejects %j', async (body) => {
  const { makeSpace, request } = platform();
  const { id, token } = await makeSpace();

  const response = await request(`/v1/spaces/${id}/change-requests`, { token, body: JSON.stringify(body) });

  expect(response.status).toBe(400);
  expect(await json(`/v1/spaces/${id}`, { token })).toMatchObject({ changeRequests: 0 });
});
