import { expect, test } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const roles = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const;

test.each(roles)('returns the permissions of a member with the role %s', async (role) => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const { id } = await makeSpace({ organization });
  const { token } = await makeUser({ organization: organization.id, role });
  const isAtLeastRole = (least: (typeof roles)[number]) => roles.indexOf(role) >= roles.indexOf(least);

  expect(await json(`/v1/spaces/${id}`, { token })).toMatchObject({
    permissions: {
      view: true,
      access: true,
      comment: isAtLeastRole('comment'),
      edit: isAtLeastRole('edit'),
      merge: isAtLeastRole('review'),
      review: isAtLeastRole('review'),
      admin: isAtLeastRole('create'),
      viewInviteLinks: isAtLeastRole('create'),
      triggerGitSync: false,
      installIntegration: isAtLeastRole('create'),
    },
  });
});

test('returns the revision of the live content', async () => {
  const space = await platform().makeSpace();
  await makePage(space, 'A page');

  const { revision } = await json<{ revision: string }>(`/v1/spaces/${space.id}`, { token: space.token });

  expect(revision).not.toBe(space.revision);
  expect(await json(`/v1/spaces/${space.id}/content`, { token: space.token })).toMatchObject({ id: revision });
});
