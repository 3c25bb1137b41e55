import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { signIn, waitForMail } from '../../support/mail.ts';
import type { Server, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

const createDomain = () => `d${randomUUID()}.test`;
const write = (statement: string, ...values: (string | number | null)[]) => writeDatabase(server, statement, ...values);

async function makeOrganization(emailDomains: string[], at: Server = server) {
  const { token } = await at.makeUser();
  const { id } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Acme', emailDomains } }, at);
  return { id, token };
}
const makeUserWithEmail = (email: string, at: Server = server): Promise<TestUser> =>
  callOperator(at.dataDir, '/token', { email });
const join = ({ id }: { id: string }, { token }: TestUser, at: Server = server) =>
  at.request(`/v1/orgs/${id}/join`, { token, method: 'POST' });
const readMembership = ({ id }: { id: string }, { user }: TestUser) =>
  queryDatabase(server.dataDir, 'SELECT role FROM members WHERE organization = ? AND user = ?', id, user);

test("a user with an address of the organization's domain joins as a guest; repeated requests change nothing", async () => {
  const domain = createDomain();
  const organization = await makeOrganization(['other.test', domain]);
  const user = await makeUserWithEmail(`Ada@${domain.toUpperCase()}`);

  expect((await join(organization, user)).status).toBe(204);
  expect((await join(organization, user)).status).toBe(204);

  expect(readMembership(organization, user)).toEqual([{ role: null }]);
  expect(
    queryDatabase(server.dataDir, "SELECT actor FROM outbox WHERE type = 'member.added' AND actor = ?", user.user),
  ).toHaveLength(1);
});

test("joins with the organization's default role", async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  await write("UPDATE organizations SET default_role = 'comment' WHERE id = ?", organization.id);
  const user = await makeUserWithEmail(`ada@${domain}`);

  await join(organization, user);

  expect(readMembership(organization, user)).toEqual([{ role: 'comment' }]);
});

test('an organization with other domains returns the same 404 as a missing one', async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  const joinAndRead = async (id: string, user: TestUser) => {
    const response = await join({ id }, user);
    const { error } = (await response.json()) as { error: { requestId?: string } };
    return { status: response.status, ...error, requestId: '', cost: response.headers.get('server-timing') };
  };

  for (const address of ['ada@other.test', `ada@sub.${domain}`, `ada@x${domain}`, `${domain}@other.test`]) {
    const user = await makeUserWithEmail(address);
    expect(await joinAndRead(organization.id, user)).toEqual(await joinAndRead('org_made_up', user));
    expect(await joinAndRead(organization.id, user)).toMatchObject({ status: 404 });
  }
});

test('a user with an unverified address cannot join', async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  const user = await makeUserWithEmail(`ada@${domain}`);
  await write('UPDATE users SET email_verified_at = NULL WHERE id = ?', user.user);

  const response = await join(organization, user);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'user.email' }] } });
  expect(readMembership(organization, user)).toEqual([]);
});

test('signing in by mail verifies the address', async () => {
  const at = platform();
  const domain = createDomain();
  const [inviting, organization] = [await at.makeOrganization(), await makeOrganization([domain], at)];
  const email = `ada@${domain}`;
  await json(`/v1/orgs/${inviting.id}/invites`, { token: inviting.token, body: { emails: [email] } });
  const token = await signIn(await waitForMail(email));

  expect((await join(organization, { token, user: '' }, at)).status).toBe(204);
});

test('returns 412 while the organization enforces SSO', async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  await write('UPDATE organizations SET sso = 1 WHERE id = ?', organization.id);
  const user = await makeUserWithEmail(`ada@${domain}`);

  expect((await join(organization, user)).status).toBe(412);
  expect(readMembership(organization, user)).toEqual([]);
});

test('a disabled member stays disabled, and a service account joins nothing', async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  const [disabled, service] = [await makeUserWithEmail(`ada@${domain}`), await makeUserWithEmail(`bot@${domain}`)];
  await join(organization, disabled);
  await write('UPDATE members SET disabled = 1 WHERE user = ?', disabled.user);
  await write("UPDATE users SET kind = 'service' WHERE id = ?", service.user);

  expect((await join(organization, disabled)).status).toBe(404);
  expect((await join(organization, service)).status).toBe(403);
  expect(readMembership(organization, service)).toEqual([]);
});

test('concurrent requests create one membership', async () => {
  const domain = createDomain();
  const organization = await makeOrganization([domain]);
  const user = await makeUserWithEmail(`ada@${domain}`);

  const responses = await Promise.all(Array.from({ length: 25 }, () => join(organization, user)));

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
  expect(readMembership(organization, user)).toHaveLength(1);
});
