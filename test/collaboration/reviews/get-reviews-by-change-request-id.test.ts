import { beforeAll, expect, test } from 'vitest';
import { expectPaging, walk } from '../../support/paging.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

let organization: TestOrganization;
let reviewer: TestUser;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  reviewer = await makeMember(organization, 'review');
});

test('paginates by cursor, newest first', async () => {
  const { review, path } = await createReviewClient(organization);
  for (let count = 0; count < 3; count += 1) await review();

  await expectPaging(`${path}/reviews`, organization.token, () => review());
});

test('an edit of the change request outdates a review, an update does not', async () => {
  const { edit, editLive, update, review, reviews } = await createReviewClient(organization);
  const isOutdated = async () => (await reviews()).map(({ outdated }) => outdated);
  await review();
  await editLive();
  expect((await update()).status).toBe(200);
  expect(await isOutdated()).toEqual([false]);

  await edit();
  expect(await isOutdated()).toEqual([true]);
  await review();
  expect(await isOutdated()).toEqual([false, true]);
  await editLive();
  await update();
  expect(await isOutdated()).toEqual([false, true]);
});

test('a repeated request to the reviewer outdates the review, even if the request is withdrawn', async () => {
  const { review, reviews, ask, request } = await createReviewClient(organization);
  const theirs = await review(reviewer.token);
  const other = await review();
  await ask([reviewer.user]);
  const outdated = [[theirs.id, true] as const, [other.id, false] as const];
  const readOutdatedStates = async () => new Map((await reviews()).map((each) => [each.id, each.outdated]));

  expect(await readOutdatedStates()).toEqual(new Map(outdated));
  await request(`/requested-reviewers/${reviewer.user}`, { method: 'DELETE' });
  expect(await readOutdatedStates()).toEqual(new Map(outdated));
});

test('a request to a team does not outdate the reviews of its members', async () => {
  const { review, reviews, ask } = await createReviewClient(organization);
  await review(reviewer.token);
  const path = `/v1/orgs/${organization.id}/teams`;
  const team = { title: 'T', members: [reviewer.user] };
  const response = await platform().request(path, { token: organization.token, method: 'PUT', body: team });
  await ask([], [((await response.json()) as { id: string }).id]);

  expect((await reviews()).map(({ outdated }) => outdated)).toEqual([false]);
});

test('filters reviews by whether they are outdated', async () => {
  const { review, path } = await createReviewClient(organization);
  const first = await review();
  const second = await review();
  const other = await review(reviewer.token);
  const listReviews = async (query: string) => new Set(await walk(`${path}/reviews${query}`, organization.token));

  expect(await listReviews('?outdated=false')).toEqual(new Set([second.id, other.id]));
  expect(await listReviews('?outdated=true')).toEqual(new Set([first.id]));
  expect(await listReviews('')).toEqual(new Set([first.id, second.id, other.id]));
  expect((await platform().request(`${path}/reviews?outdated=maybe`, organization)).status).toBe(400);
});

test('returns only the reviews of the change request', async () => {
  const [one, other] = [await createReviewClient(organization), await createReviewClient(organization)];
  await one.review();

  expect(await other.reviews()).toEqual([]);
});
