import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { guest, makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface Listed {
  team: { id: string; title: string; permissions: { admin: boolean; view: boolean } };
  member: { role: string };
}

async function list({ id }: TestOrganization, user: string, { token }: Pick<TestUser, 'token'>, more = '') {
  return (await json<{ items: Listed[] }>(`/v1/orgs/${id}/members/${user}/teams${more}`, { token })).items;
}

test('returns the teams of a member with the role there, each as a single read does', async () => {
  const organization = await platform().makeOrganization();
  const [member, reader] = [await makeMember(organization), await makeMember(organization)];
  const one = await makeTeam(organization, { title: 'One', members: [member.user] });
  const two = await makeTeam(organization, { title: 'Two' });
  await makeTeam(organization, { title: 'Not his', members: [reader.user] });
  await putInTeam(organization, two.id, member.user, 'owner');

  for (const caller of [organization, member, reader]) {
    const items = await list(organization, member.user, caller);

    expect(items.map(({ team, member: { role } }) => [team.title, role])).toEqual([
      ['Two', 'owner'],
      ['One', 'member'],
    ]);
    for (const { team } of items) {
      expect(team).toEqual(await json(`/v1/orgs/${organization.id}/teams/${team.id}`, caller));
    }
  }
  expect((await list(organization, member.user, member)).map(({ team }) => team.permissions.admin)).toEqual([
    true,
    false,
  ]);
  expect(await list(organization, one.id, organization).catch(String)).toContain('404');
});

test('filters by a part of the title, ignoring case', async () => {
  const organization = await platform().makeOrganization();
  const { user } = organization;
  for (const title of ['Docs & Guides', 'Équipe Nord', 'Support'])
    await makeTeam(organization, { title, members: [user] });
  const listTitles = async (title: string) => {
    const items = await list(organization, user, organization, `?title=${encodeURIComponent(title)}`);
    return items.map(({ team }) => team.title);
  };

  expect(await listTitles('GUIDE')).toEqual(['Docs & Guides']);
  expect(await listTitles('équipe n')).toEqual(['Équipe Nord']);
  expect(await listTitles('o')).toEqual(['Support', 'Équipe Nord', 'Docs & Guides']);
  expect(await listTitles('%')).toEqual([]);
});

test('a guest only sees their own teams', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user, token } = await makeMember(organization, guest);
  const team = await makeTeam(organization, { members: [user, organization.user] });

  const items = await list(organization, user, { token });

  expect(items).toMatchObject([{ team: { id: team.id, permissions: { admin: false, view: true } } }]);
  const path = `/v1/orgs/${organization.id}/members/${organization.user}/teams`;
  expect((await request(path, { token })).status).toBe(404);
});

test('paginates by cursor', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const add = () => makeTeam(organization, { title: 'Writers', members: [user] });
  for (let count = 0; count < 4; count += 1) await add();
  const path = `/v1/orgs/${organization.id}/members/${user}/teams`;

  await expectPaging(path, organization.token, add);
  await expectPaging(`${path}?title=WRI`, organization.token, add);
});
