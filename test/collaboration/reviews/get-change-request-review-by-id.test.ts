import { expect, test } from 'vitest';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

test('returns the review equal to its entry in the list, by ID and by number of the change request', async () => {
  const { review, reviews, request, space } = await createReviewClient(await platform().makeOrganization());
  const { id } = await review();
  const [listed] = await reviews();

  expect(await (await request(`/reviews/${id}`)).json()).toEqual(listed);
  const byNumber = `/v1/spaces/${space.id}/change-requests/1/reviews/${id}`;
  expect(await (await platform().request(byNumber, space)).json()).toEqual(listed);
});

test('returns 404 for a missing review, or one of another change request or space', async () => {
  const organization = await platform().makeOrganization();
  const [one, other] = [await createReviewClient(organization), await createReviewClient(organization)];
  const { id } = await one.review();

  for (const response of [await other.request(`/reviews/${id}`), await one.request('/reviews/rvw_none')])
    expect(response.status).toBe(404);
  const mixed = `/v1/spaces/${other.space.id}/change-requests/${one.id}/reviews/${id}`;
  expect((await platform().request(mixed, organization)).status).toBe(404);
  const reader = await makeMember(organization, 'read');
  expect((await one.request(`/reviews/${id}`, { token: reader.token })).status).toBe(200);
});
