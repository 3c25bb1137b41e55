import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import type { ShownMember } from '../../support/people.ts';
import { getMember, guest, makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

interface Listed {
  organization: ShownMember;
  team: { role: string };
  permissions: { view: boolean };
}

test('returns each member with their roles in the organization and the team, newest first', async () => {
  const organization = await platform().makeOrganization();
  const [owner, reader] = [await makeMember(organization, 'edit'), await makeMember(organization)];
  const { id } = await makeTeam(organization, { members: [reader.user] });
  await putInTeam(organization, id, owner.user, 'owner');
  await makeTeam(organization, { members: [organization.user] });

  const path = `/v1/orgs/${organization.id}/teams/${id}/members`;
  const { items } = await json<{ items: Listed[] }>(path, reader);

  expect(items).toEqual([
    { organization: await getMember(organization, owner.user), team: { role: 'owner' }, permissions: { view: true } },
    { organization: await getMember(organization, reader.user), team: { role: 'member' }, permissions: { view: true } },
  ]);
  expect(items[0]?.organization.user.email).toContain('@example.test');
});

test('a guest in the team sees its members without e-mail addresses', async () => {
  const organization = await platform().makeOrganization();
  const [visitor, owner] = [await makeMember(organization, guest), await makeMember(organization, guest)];
  const { id } = await makeTeam(organization, { members: [visitor.user, organization.user] });
  await putInTeam(organization, id, owner.user, 'owner');

  for (const caller of [visitor, owner]) {
    const response = await platform().request(`/v1/orgs/${organization.id}/teams/${id}/members`, caller);
    const body = await response.text();
    const { items } = JSON.parse(body) as { items: Listed[] };

    expect(response.status).toBe(200);
    expect(items.map((item) => item.organization.id).toSorted()).toEqual(
      [visitor.user, organization.user, owner.user].toSorted(),
    );
    expect(body).not.toMatch(/email|@/);
  }
});

test('returns 404 to a guest who is not in the team', async () => {
  const organization = await platform().makeOrganization();
  const { token } = await makeMember(organization, guest);
  const { id } = await makeTeam(organization);

  const path = `/v1/orgs/${organization.id}/teams/${id}/members`;
  expect((await platform().request(path, { token })).status).toBe(404);
});

test('paginates by cursor, also with equal timestamps', async () => {
  const organization = await platform().makeOrganization();
  const members = [];
  for (let count = 0; count < 5; count += 1) members.push((await makeMember(organization)).user);
  const { id } = await makeTeam(organization, { members });
  const add = async () => putInTeam(organization, id, (await makeMember(organization)).user);

  await expectPaging(`/v1/orgs/${organization.id}/teams/${id}/members`, organization.token, add);
});
