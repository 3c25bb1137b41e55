import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

let organization: TestOrganization;
beforeAll(async () => {
  organization = await platform().makeOrganization();
});

const remove = (change: Awaited<ReturnType<typeof createReviewClient>>, reviewer: string, token = organization.token) =>
  change.request(`/requested-reviewers/${reviewer}`, { method: 'DELETE', token });

test('removes the request for a user or a team only once', async () => {
  const change = await createReviewClient(organization);
  const { user } = await makeMember(organization);
  const team = await makeTeam(organization);
  await change.ask([user], [team.id]);

  expect((await remove(change, user)).status).toBe(205);
  expect(await change.listRequested()).toEqual([team.id]);
  expect((await remove(change, team.id)).status).toBe(205);
  expect(await change.listRequested()).toEqual([]);
  for (const gone of [user, team.id, 'usr_none']) expect((await remove(change, gone)).status).toBe(404);
});

test('does not affect another change request', async () => {
  const [one, other] = [await createReviewClient(organization), await createReviewClient(organization)];
  const { user } = await makeMember(organization);
  await one.ask([user]);

  expect((await remove(other, user)).status).toBe(404);
  expect(await one.listRequested()).toEqual([user]);
});

test('readers can only remove requests to themselves', async () => {
  const change = await createReviewClient(organization);
  const [reader, other] = [await makeMember(organization, 'read'), await makeMember(organization, 'comment')];
  const team = await makeTeam(organization, { members: [reader.user] });
  await change.ask([reader.user, other.user], [team.id]);

  for (const theirs of [other.user, team.id]) expect((await remove(change, theirs, reader.token)).status).toBe(403);
  expect((await remove(change, reader.user, reader.token)).status).toBe(205);
  expect((await remove(change, reader.user, reader.token)).status).toBe(404);
  expect((await remove(change, other.user, (await makeMember(organization, 'edit')).token)).status).toBe(205);
  expect(await change.listRequested()).toEqual([team.id]);
});

test('one of 25 concurrent removals succeeds', async () => {
  const change = await createReviewClient(organization);
  const { user } = await makeMember(organization);
  await change.ask([user]);

  const responses = await Promise.all(Array.from({ length: 25 }, () => remove(change, user)));

  expect(responses.map(({ status }) => status).sort()).toEqual([205, ...Array(24).fill(404)]);
});
