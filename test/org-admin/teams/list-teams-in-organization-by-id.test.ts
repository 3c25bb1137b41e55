import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { guest, makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface Team {
  id: string;
  title: string;
}

async function list({ id }: TestOrganization, { token }: Pick<TestUser, 'token'>, query: Record<string, string> = {}) {
  const path = `/v1/orgs/${id}/teams?${new URLSearchParams(query)}`;
  return (await json<{ items: Team[] }>(path, { token })).items;
}

const getTitles = (items: Team[]) => items.map(({ title }) => title);

test('returns each team of the organization as a single read does, newest first', async () => {
  const { makeOrganization } = platform();
  const organization = await makeOrganization();
  const reader = await makeMember(organization);
  for (const title of ['One', 'Two', 'Three']) await makeTeam(organization, { title, members: [reader.user] });
  await makeTeam(await makeOrganization());

  for (const caller of [organization, reader]) {
    const items = await list(organization, caller);
    expect(getTitles(items)).toEqual(['Three', 'Two', 'One']);
    for (const item of items) expect(item).toEqual(await json(`/v1/orgs/${organization.id}/teams/${item.id}`, caller));
  }
});

test('filters by teams that a member can manage', async () => {
  const organization = await platform().makeOrganization();
  const [owner, other] = [await makeMember(organization), await makeMember(organization)];
  const idsByTitle = new Map<string, string>();
  for (const title of ['Red', 'Green', 'Blue']) idsByTitle.set(title, (await makeTeam(organization, { title })).id);
  await putInTeam(organization, idsByTitle.get('Red') ?? '', owner.user, 'owner');
  await putInTeam(organization, idsByTitle.get('Blue') ?? '', owner.user, 'owner');
  await putInTeam(organization, idsByTitle.get('Green') ?? '', owner.user, 'member');
  await putInTeam(organization, idsByTitle.get('Green') ?? '', other.user, 'owner');
  const listManagedTeams = async (user: string, more = {}) =>
    getTitles(await list(organization, other, { owner: user, ...more }));

  expect(await listManagedTeams(owner.user)).toEqual(['Blue', 'Red']);
  expect(await listManagedTeams(other.user)).toEqual(['Green']);
  expect(await listManagedTeams(organization.user)).toEqual(['Blue', 'Green', 'Red']);
  expect(await listManagedTeams(owner.user, { title: 'RE' })).toEqual(['Red']);
  expect(await listManagedTeams('usr_madeup')).toEqual([]);

  const path = `/v1/orgs/${organization.id}/members/${owner.user}/disable`;
  await json(path, { token: organization.token, method: 'POST' });
  expect(await listManagedTeams(owner.user)).toEqual([]);
});

test('filters by a part of the title, ignoring case', async () => {
  const organization = await platform().makeOrganization();
  for (const title of ['Docs & Guides', 'Équipe Nord', '100% (real)']) await makeTeam(organization, { title });
  const listTitles = async (title: string) => getTitles(await list(organization, organization, { title }));

  expect(await listTitles('GUIDE')).toEqual(['Docs & Guides']);
  expect(await listTitles('ÉQUIPE')).toEqual(['Équipe Nord']);
  expect(await listTitles('% (')).toEqual(['100% (real)']);
  expect(await listTitles("' OR 1=1 --")).toEqual([]);
  expect(await listTitles('')).toHaveLength(3);
});

test('a guest cannot list teams', async () => {
  const organization = await platform().makeOrganization();
  const { token } = await makeMember(organization, guest);

  expect((await platform().request(`/v1/orgs/${organization.id}/teams`, { token })).status).toBe(403);
});

test('paginates by cursor, with each filter', async () => {
  const organization = await platform().makeOrganization();
  const owner = await makeMember(organization);
  const add = async () => {
    const { id } = await makeTeam(organization, { title: 'Writers' });
    await putInTeam(organization, id, owner.user, 'owner');
  };
  for (let count = 0; count < 4; count += 1) await add();
  const path = `/v1/orgs/${organization.id}/teams`;

  for (const more of ['', '?title=wri', `?owner=${owner.user}`, `?owner=${owner.user}&title=ITER`]) {
    await expectPaging(`${path}${more}`, organization.token, add);
  }
});
