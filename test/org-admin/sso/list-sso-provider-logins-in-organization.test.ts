import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeSso } from '../../support/sign-in.ts';

test('returns the active providers to every member', async () => {
  const { makeUser } = platform();
  const { organization, provider } = await makeSso();
  const { id, token } = organization;
  await json(`/v1/orgs/${id}/saml`, { token, body: { label: 'Later' } });
  const member = await makeUser({ organization: id, role: 'read' });

  expect(await json(`/v1/orgs/${id}/sso`, { token: member.token })).toEqual({
    items: [{ id: provider.id, label: 'The provider', startURL: provider.service.startURL }],
  });
});
