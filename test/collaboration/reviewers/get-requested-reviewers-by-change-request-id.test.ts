import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { makeMember, makeTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import type { ShownRequest } from '../review-client.ts';
import { createReviewClient } from '../review-client.ts';

test('lists users and teams, each once', async () => {
  const organization = await platform().makeOrganization();
  const { ask, path, read } = await createReviewClient(organization);
  const member = await makeMember(organization);
  const team = await makeTeam(organization);
  await ask([member.user], [team.id]);
  const { revision } = await read();
  const common = {
    object: 'change-request-requested-reviewer',
    revision,
    requestedBy: expect.objectContaining({ id: organization.user }),
    createdAt: expect.stringMatching(/Z$/),
  };

  const { items } = await json<{ items: ShownRequest[] }>(`${path}/requested-reviewers`, organization);

  expect(items.toSorted((one, other) => one.kind.localeCompare(other.kind))).toEqual([
    { ...common, kind: 'team', team: { object: 'team', id: team.id } },
    { ...common, kind: 'user', user: await json(`/v1/users/${member.user}`, organization) },
  ]);
});

test('paginates by cursor, in two round trips', async () => {
  const organization = await platform().makeOrganization();
  const { ask, path } = await createReviewClient(organization);
  const add = async () => ask([(await makeMember(organization)).user]);
  for (let count = 0; count < 3; count += 1) await add();

  await expectPaging(`${path}/requested-reviewers`, organization.token, add);
  expect(getCost(await platform().request(`${path}/requested-reviewers`, organization)).trips).toBe(2);
});

test('omits deleted teams and former members, also after a transfer', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const { id: other } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'The other' } });
  const { ask, listRequested, space } = await createReviewClient(organization);
  const [gone, stays] = [await makeMember(organization), await makeMember(organization)];
  const [deleted, remainingTeam] = [await makeTeam(organization), await makeTeam(organization)];
  await ask([gone.user, stays.user, organization.user], [deleted.id, remainingTeam.id]);
  const remove = async (path: string) =>
    (await platform().request(`/v1/orgs/${organization.id}${path}`, { token: organization.token, method: 'DELETE' }))
      .ok;

  expect(await remove(`/members/${gone.user}`)).toBe(true);
  expect(await remove(`/teams/${deleted.id}`)).toBe(true);
  expect(await listRequested()).toEqual([remainingTeam.id, organization.user, stays.user].sort());

  const response = await platform().request(`/v1/spaces/${space.id}/transfer`, {
    token,
    body: { organization: other },
  });
  expect(response.status).toBe(200);
  expect(await listRequested()).toEqual([organization.user]);
});
