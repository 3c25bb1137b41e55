import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { getMember, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

test('enables a disabled member with the former role', async () => {
  const organization = await platform().makeOrganization();
  const { token, id } = organization;
  const member = await makeMember(organization, 'admin');
  const path = `/v1/orgs/${id}/members/${member.user}`;
  await json(`${path}/disable`, { token, method: 'POST' });

  const enabled = await json(`${path}/enable`, { token, method: 'POST' });

  expect(enabled).toEqual(await getMember(organization, member.user));
  expect(enabled).toMatchObject({ disabled: false, role: 'admin' });
  expect(await json(`/v1/orgs/${id}`, member)).toMatchObject({ id, permissions: { admin: true } });
});

test('a disabled admin cannot enable themselves', async () => {
  const organization = await platform().makeOrganization();
  const member = await makeMember(organization, 'admin');
  const path = `/v1/orgs/${organization.id}/members/${member.user}`;
  await json(`${path}/disable`, { token: organization.token, method: 'POST' });

  const response = await platform().request(`${path}/enable`, { token: member.token, method: 'POST' });

  expect(response.status).toBe(404);
  expect(await getMember(organization, member.user)).toMatchObject({ disabled: true });
});
