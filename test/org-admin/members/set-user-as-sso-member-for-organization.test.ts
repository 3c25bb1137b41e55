import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { getMember, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

test('permanently marks a member for SSO sign-in', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const before = await getMember(organization, user);
  const path = `/v1/orgs/${organization.id}/members/${user}/sso`;

  for (const time of [1, 2]) {
    const marked = await json(path, { token: organization.token, method: 'POST' });
    expect([time, marked]).toEqual([time, { ...before, sso: true }]);
  }
  expect(await getMember(organization, user)).toEqual({ ...before, sso: true });
  expect(
    query("SELECT data FROM outbox WHERE organization = ? AND type = 'member.updated'", organization.id)[0],
  ).toEqual({ data: JSON.stringify({ user }) });
});

test('a member cannot mark themselves', async () => {
  const organization = await platform().makeOrganization();
  const { user, token } = await makeMember(organization, 'create');
  const path = `/v1/orgs/${organization.id}/members/${user}/sso`;

  expect((await platform().request(path, { token, method: 'POST' })).status).toBe(403);
  expect(await getMember(organization, user)).toMatchObject({ sso: false });
});
