import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { publishOwnIntegration } from './publish-ours.ts';

test.each(['notifications', 'link-checker', 'analytics'])('the CLI publishes %s', async (which) => {
  const organization = await platform().makeOrganization();
  const name = await publishOwnIntegration(which, organization);

  const { token } = organization;
  const published = await json<{ urls: { icon: string }; configurations: object }>(`/v1/integrations/${name}`, {
    token,
  });
  expect(published).toMatchObject({ version: 1, owner: { id: organization.id }, configurations: expect.any(Object) });
  expect((await fetch(published.urls.icon)).headers.get('content-type')).toBe('image/png');
});
