import { beforeAll, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { reviewed } from '../review-client.ts';

let organization: TestOrganization;
const members: TestUser[] = [];
beforeAll(async () => {
  organization = await platform().makeOrganization();
  for (let count = 0; count < 3; count += 1) members.push(await makeMember(organization));
});

const users = () => members.map(({ user }) => user);

test('requests users and teams in order, and opens a draft', async () => {
  const { ask, asked, read } = await reviewed(organization);
  const team = await makeTeam(organization);
  expect((await read()).status).toBe('draft');

  const answer = await ask(users().toReversed(), [team.id]);

  expect(answer.users.map(({ user }) => user?.id)).toEqual(users().toReversed());
  expect(answer.teams).toMatchObject([{ kind: 'team', team: { object: 'team', id: team.id } }]);
  expect(await asked()).toEqual([...users(), team.id].sort());
  expect((await read()).status).toBe('open');
});

test('a repeated request changes nothing and returns the existing request', async () => {
  const { ask, asked } = await reviewed(organization);
  const first = await ask(users());

  expect(await ask(users())).toEqual(first);
  expect(await ask([...users(), ...users()])).toEqual(first);
  expect(await asked()).toEqual(users().sort());
});

test('sets the subject and description, and leaves omitted ones unchanged', async () => {
  const { tryAsk, read } = await reviewed(organization, 'Before');
  expect((await tryAsk({ users: [], description: 'Why.' })).status).toBe(200);
  expect(await read()).toMatchObject({ subject: 'Before', description: 'Why.', status: 'draft' });

  await tryAsk({ users: users(), subject: 'After' });
  expect(await read()).toMatchObject({ subject: 'After', description: 'Why.', status: 'open' });
});

test('names each user who cannot review by index, and adds no reviewer', async () => {
  const { tryAsk, asked, read } = await reviewed(organization);
  const other = await platform().makeOrganization();
  const disabled = await makeMember(organization);
  const path = `/v1/orgs/${organization.id}/members/${disabled.user}/disable`;
  expect((await platform().request(path, { token: organization.token, method: 'POST' })).ok).toBe(true);
  const unfit = [other.user, disabled.user, (await makeMember(organization, guest)).user, 'usr_none'];
  const theirs = await makeTeam(other);

  const answer = await tryAsk({ users: [users()[0], ...unfit], teams: [theirs.id, 'team_none'], subject: 'New' });

  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { error: { issues: { path: string; message: string }[] } };
  expect(error.issues).toEqual([
    ...unfit.map((_, index) => ({
      path: `body.users.${index + 1}`,
      message: 'must be an active member of the organization with access to the space',
    })),
    ...[0, 1].map((index) => ({ path: `body.teams.${index}`, message: 'must be a team of the organization' })),
  ]);
  expect(await asked()).toEqual([]);
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
  const { tryAsk, asked } = await reviewed(organization);

  expect((await tryAsk(body)).status).toBe(400);
  expect(await asked()).toEqual([]);
});

test('requires edit rights, not only comment rights', async () => {
  const { tryAsk } = await reviewed(organization);
  const by = async (role: string) =>
    (await tryAsk({ users: users() }, (await makeMember(organization, role)).token)).status;

  expect(await by('comment')).toBe(403);
  expect(await by('edit')).toBe(200);
});

test('returns 409 for a merged or archived change request', async () => {
  const [merged, archived] = [await reviewed(organization), await reviewed(organization)];
  await merged.edit();
  await merged.merge();
  await archived.patch({ status: 'archived' });

  for (const change of [merged, archived]) {
    expect((await change.tryAsk({ users: users(), subject: 'New' })).status).toBe(409);
    expect(await change.asked()).toEqual([]);
    expect((await change.read()).subject).toBe('A change');
  }
});

test('25 concurrent requests add each reviewer once, and increase the stamp once for each', async () => {
  const { tryAsk, asked, id } = await reviewed(organization);

  const answers = await Promise.all(Array.from({ length: 25 }, () => tryAsk({ users: users() })));

  expect(answers.map(({ status }) => status)).toEqual(Array(25).fill(200));
  expect(await asked()).toEqual(users().sort());
  expect(query('SELECT stamp FROM change_requests WHERE id = ?', id)).toEqual([{ stamp: users().length }]);
});

test('takes two round trips for any number of reviewers', async () => {
  const { tryAsk } = await reviewed(organization);
  const many = await Promise.all(Array.from({ length: 20 }, () => makeMember(organization)));

  expect(getCost(await tryAsk({ users: users() })).trips).toBe(2);
  expect(getCost(await tryAsk({ users: many.map(({ user }) => user) })).trips).toBe(2);
});
