import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const all = ['admin', 'create', 'review', 'edit', 'comment', 'read', null] as const;

test.each(all)('returns the permissions of a member with the role %s', async (role) => {
  const { makeOrganization, makeUser } = platform();
  const { id, title } = await makeOrganization();
  const { token } = await makeUser({ organization: id, role: role as string });
  const creates = role === 'admin' || role === 'create';
  const belongs = role !== null;

  expect(await json(`/v1/orgs/${id}`, { token })).toMatchObject({
    object: 'organization',
    id,
    title,
    permissions: {
      view: true,
      admin: role === 'admin',
      ownTeam: false,
      createContent: creates,
      createOpenAPISpec: creates,
      ingestConversations: role === 'admin',
      viewBilling: role === 'admin',
      listMembers: belongs,
      listTeams: belongs,
      listIntegrations: belongs,
      access: true,
      listInstallations: role === 'admin',
      installIntegration: role === 'admin',
    },
  });
});

test('returns 404 to users who are not members', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const { id } = await makeOrganization();
  const { token } = await makeUser();

  expect((await request(`/v1/orgs/${id}`, { token })).status).toBe(404);
});
