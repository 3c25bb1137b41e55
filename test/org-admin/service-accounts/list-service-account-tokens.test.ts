import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

test('returns the tokens of the account, without secrets', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeServiceAccount(organization);
  await makeServiceAccount(organization);

  const list = await json(`/v1/orgs/${organization.id}/service-accounts/${user}/tokens`, organization);

  expect(list).toEqual({
    count: 1,
    items: [
      {
        object: 'user-token',
        id: expect.stringMatching(/^tok_/),
        label: 'For the build',
        createdAt: expect.any(String),
      },
    ],
  });
});

test('returns 404 for the ID of a person or another organization', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const person = await makeUser({ organization: organization.id, role: 'read' });
  const foreign = await makeServiceAccount(other);

  for (const user of [person.user, organization.user, foreign.user, 'usr_madeup']) {
    const response = await request(`/v1/orgs/${organization.id}/service-accounts/${user}/tokens`, organization);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { message: 'Member not found.' } });
  }
});

test('paginates by cursor', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeServiceAccount(organization);
  const path = `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;
  const make = () => json(path, { token: organization.token, body: { label: 'x' } });
  for (let newToken = 0; newToken < 3; newToken += 1) await make();

  await expectPaging(path, organization.token, make);
});
