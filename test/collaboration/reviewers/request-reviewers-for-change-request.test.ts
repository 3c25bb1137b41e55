import { beforeAll, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

let organization: TestOrganization;
const members: TestUser[] = [];
beforeAll(async () => {
  organization = await platform().makeOrganization();
  for (let count = 0; count < 3; count += 1) members.push(await makeMember(organization));
});

const getUsers = () => members.map(({ user }) => user);

test('requests users and teams in order, and opens a draft', async () => {
  const { ask, listRequested, read } = await createReviewClient(organization);
  const team = await makeTeam(organization);
  expect((await read()).status).toBe('draft');

  const requestedReviewers = await ask(getUsers().toReversed(), [team.id]);

  expect(requestedReviewers.users.map(({ user }) => user?.id)).toEqual(getUsers().toReversed());
  expect(requestedReviewers.teams).toMatchObject([{ kind: 'team', team: { object: 'team', id: team.id } }]);
  expect(await listRequested()).toEqual([...getUsers(), team.id].sort());
  expect((await read()).status).toBe('open');
});

test('a repeated request changes nothing and returns the existing request', async () => {
  const { ask, listRequested } = await createReviewClient(organization);
  const first = await ask(getUsers());

  expect(await ask(getUsers())).toEqual(first);
  expect(await ask([...getUsers(), ...getUsers()])).toEqual(first);
  expect(await listRequested()).toEqual(getUsers().sort());
});

test('sets the subject and description, and leaves omitted ones unchanged', async () => {
  const { tryAsk, read } = await createReviewClient(organization, 'Before');
  expect((await tryAsk({ users: [], description: 'Why.' })).status).toBe(200);
  expect(await read()).toMatchObject({ subject: 'Before', description: 'Why.', status: 'draft' });

  await tryAsk({ users: getUsers(), subject: 'After' });
  expect(await read()).toMatchObject({ subject: 'After', description: 'Why.', status: 'open' });
});

test('the error names each user who cannot review by index, and no reviewer is added', async () => {
  const { tryAsk, listRequested, read } = await createReviewClient(organization);
  const other = await platform().makeOrganization();
  const disabled = await makeMember(organization);
  const path = `/v1/orgs/${organization.id}/members/${disabled.user}/disable`;
  expect((await platform().request(path, { token: organization.token, method: 'POST' })).ok).toBe(true);
  const unfit = [other.user, disabled.user, (await makeMember(organization, guest)).user, 'usr_none'];
  const theirs = await makeTeam(other);

  const response = await tryAsk({ users: [getUsers()[0], ...unfit], teams: [theirs.id, 'team_none'], subject: 'New' });

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { issues: { path: string; message: string }[] } };
  expect(error.issues).toEqual([
    ...unfit.map((_, index) => ({
      path: `body.users.${index + 1}`,
      message: 'must be an active member of the organization with access to the space',
    })),
    ...[0, 1].map((index) => ({ path: `body.teams.${index}`, message: 'must be a team of the organization' })),
  ]);
  expect(await listRequested()).toEqual([]);
  expect(await read()).toMatchObject({ subject: 'A change', status: 'draft' });
});

test.each([
  {},
  { users: 'x' },
  { users: [7] },
  { users: ['not an id'] },
  { users: Array(101).fill('usr_a') },
  { users: [], teams: [null] },
  { users: [], subject: 'x'.repeat(101) },
  { users: [], description: 'x'.repeat(10_001) },
])('rejects %j', async (body) => {
  const { tryAsk, listRequested } = await createReviewClient(organization);

  expect((await tryAsk(body)).status).toBe(400);
  expect(await listRequested()).toEqual([]);
});

test('requires edit rights, not only comment rights', async () => {
  const { tryAsk } = await createReviewClient(organization);
  const getRequestStatus = async (role: string) =>
    (await tryAsk({ users: getUsers() }, (await makeMember(organization, role)).token)).status;

  expect(await getRequestStatus('comment')).toBe(403);
  expect(await getRequestStatus('edit')).toBe(200);
});

test('returns 409 for a merged or archived change request', async () => {
  const [merged, archived] = [await createReviewClient(organization), await createReviewClient(organization)];
  await merged.edit();
  await merged.merge();
  await archived.patch({ status: 'archived' });

  for (const change of [merged, archived]) {
    expect((await change.tryAsk({ users: getUsers(), subject: 'New' })).status).toBe(409);
    expect(await change.listRequested()).toEqual([]);
    expect((await change.read()).subject).toBe('A change');
  }
});

test('25 concurrent requests add each reviewer once, and increase the stamp once for each reviewer', async () => {
  const { tryAsk, listRequested, id } = await createReviewClient(organization);

  const responses = await Promise.all(Array.from({ length: 25 }, () => tryAsk({ users: getUsers() })));

  expect(responses.map(({ status }) => status)).toEqual(Array(25).fill(200));
  expect(await listRequested()).toEqual(getUsers().sort());
  expect(query('SELECT stamp FROM change_requests WHERE id = ?', id)).toEqual([{ stamp: getUsers().length }]);
});

test('takes two round trips for any number of reviewers', async () => {
  const { tryAsk } = await createReviewClient(organization);
  const many = await Promise.all(Array.from({ length: 20 }, () => makeMember(organization)));

  expect(getCost(await tryAsk({ users: getUsers() })).trips).toBe(2);
  expect(getCost(await tryAsk({ users: many.map(({ user }) => user) })).trips).toBe(2);
});
