import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { readLogOfRequest } from '../support/log.ts';
import { platform } from '../support/platform.ts';

test('the log contains no invite IDs and no secrets of sign-in links, whatever the spelling of the path', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const [organization, { token }] = [await makeOrganization(), await makeUser()];
  const links = `/v1/orgs/${organization.id}/link-invites`;
  const { id } = await json<{ id: string }>(links, { token: organization.token, body: { role: 'read' } });
  const secret = 'q'.repeat(43);
  await request(`${links}/${id}`, organization);
  await request(`/v1/orgs/${organization.id}/%69nvites/${id}`, { token, method: 'POST' });
  await request(`/v1/orgs/${organization.id}/invites/${id}`, { token, method: 'POST' });
  for (const spelling of ['sign-in/', '%73ign-in/', 'sign%2din%2F', '%2573ign-in%252f']) {
    await request(`/${spelling}${secret}`);
  }
  const log = await readLogOfRequest(await request('/v1/user', { token }));

  expect(log).toContain(`"/v1/orgs/${organization.id}/invites/…"`);
  for (const each of [id, secret]) expect(log.includes(each)).toBe(false);
});
