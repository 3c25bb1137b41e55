import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

test('returns the service accounts of the organization, newest first, and no people', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  await makeUser({ organization: organization.id, role: 'read' });
  await makeServiceAccount(await makeOrganization());
  const [first, second] = [
    await makeServiceAccount(organization, 'edit'),
    await makeServiceAccount(organization, null),
  ];

  const list = await json<{ items: object[] }>(`/v1/orgs/${organization.id}/service-accounts`, organization);

  expect(list.items).toMatchObject([
    { object: 'member', id: second.user, role: null, disabled: false },
    { object: 'member', id: first.user, role: 'edit', user: { email: `${first.user}@service.invalid` } },
  ]);
});

test('paginates by cursor', async () => {
  const organization = await platform().makeOrganization();
  for (let index = 0; index < 4; index += 1) await makeServiceAccount(organization);

  await expectPaging(`/v1/orgs/${organization.id}/service-accounts`, organization.token, () =>
    makeServiceAccount(organization),
  );
});
