import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { readPast, writePast } from '../../support/database.ts';
import { nextMail, signIn } from '../../support/mail.ts';
import type { Server, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

const domainOfOurs = () => `d${randomUUID()}.test`;
const write = (statement: string, ...values: (string | number | null)[]) => writePast(server, statement, ...values);

async function makeOrganization(emailDomains: string[], at: Server = server) {
  const { token } = await at.makeUser();
  const { id } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Acme', emailDomains } }, at);
  return { id, token };
}
const userWith = (email: string, at: Server = server): Promise<TestUser> =>
  callOperator(at.dataDir, '/token', { email });
const join = ({ id }: { id: string }, { token }: TestUser, at: Server = server) =>
  at.request(`/v1/orgs/${id}/join`, { token, method: 'POST' });
const membership = ({ id }: { id: string }, { user }: TestUser) =>
  readPast(server.dataDir, 'SELECT role FROM members WHERE organization = ? AND user = ?', id, user);

test("a user with an address of the organization's domain joins as a guest; repeated requests change nothing", async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization(['other.test', domain]);
  const user = await userWith(`Ada@${domain.toUpperCase()}`);

  expect((await join(organization, user)).status).toBe(204);
  expect((await join(organization, user)).status).toBe(204);

  expect(membership(organization, user)).toEqual([{ role: null }]);
  expect(
    readPast(server.dataDir, "SELECT actor FROM outbox WHERE type = 'member.added' AND actor = ?", user.user),
  ).toHaveLength(1);
});

test("joins with the organization's default role", async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  await write("UPDATE organizations SET default_role = 'comment' WHERE id = ?", organization.id);
  const user = await userWith(`ada@${domain}`);

  await join(organization, user);

  expect(membership(organization, user)).toEqual([{ role: 'comment' }]);
});

test('an organization with other domains returns the same 404 as a missing one', async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  const told = async (id: string, user: TestUser) => {
    const answer = await join({ id }, user);
    const { error } = (await answer.json()) as { error: { requestId?: string } };
    return { status: answer.status, ...error, requestId: '', cost: answer.headers.get('server-timing') };
  };

  for (const address of ['ada@other.test', `ada@sub.${domain}`, `ada@x${domain}`, `${domain}@other.test`]) {
    const user = await userWith(address);
    expect(await told(organization.id, user)).toEqual(await told('org_made_up', user));
    expect(await told(organization.id, user)).toMatchObject({ status: 404 });
  }
});

test('a user with an unverified address cannot join', async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  const user = await userWith(`ada@${domain}`);
  await write('UPDATE users SET email_verified_at = NULL WHERE id = ?', user.user);

  const answer = await join(organization, user);

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { issues: [{ path: 'user.email' }] } });
  expect(membership(organization, user)).toEqual([]);
});

test('signing in by mail verifies the address', async () => {
  const at = platform();
  const domain = domainOfOurs();
  const [inviting, organization] = [await at.makeOrganization(), await makeOrganization([domain], at)];
  const email = `ada@${domain}`;
  await json(`/v1/orgs/${inviting.id}/invites`, { token: inviting.token, body: { emails: [email] } });
  const token = await signIn(await nextMail(email));

  expect((await join(organization, { token, user: '' }, at)).status).toBe(204);
});

test('returns 412 while the organization enforces SSO', async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  await write('UPDATE organizations SET sso = 1 WHERE id = ?', organization.id);
  const user = await userWith(`ada@${domain}`);

  expect((await join(organization, user)).status).toBe(412);
  expect(membership(organization, user)).toEqual([]);
});

test('a disabled member stays disabled, and a service account joins nothing', async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  const [disabled, service] = [await userWith(`ada@${domain}`), await userWith(`bot@${domain}`)];
  await join(organization, disabled);
  await write('UPDATE members SET disabled = 1 WHERE user = ?', disabled.user);
  await write("UPDATE users SET kind = 'service' WHERE id = ?", service.user);

  expect((await join(organization, disabled)).status).toBe(404);
  expect((await join(organization, service)).status).toBe(403);
  expect(membership(organization, service)).toEqual([]);
});

test('concurrent requests create one membership', async () => {
  const domain = domainOfOurs();
  const organization = await makeOrganization([domain]);
  const user = await userWith(`ada@${domain}`);

  const answers = await Promise.all(Array.from({ length: 25 }, () => join(organization, user)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(membership(organization, user)).toHaveLength(1);
});
