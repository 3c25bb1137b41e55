import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { platform } from '../support/platform.ts';
import type { Says } from '../support/saml-response.ts';
import type { Sso } from '../support/sign-in.ts';
import { createSession, makeSso, signIn } from '../support/sign-in.ts';

// The tests mark, disable and remove members directly in the database between requests.
const server = platform();

const write = (statement: string, ...values: (string | number)[]) => writeDatabase(server, statement, ...values);
const read = (statement: string, ...values: (string | number)[]) => queryDatabase(server.dataDir, statement, ...values);
const readUser = (token: string) => json<{ id: string; email: string }>('/v1/user', { token }, server);

/** Counts all users, and an organization's members and their tokens. Accounts of integrations also get tokens. */
const countAccess = ({ organization }: Sso) =>
  read(
    `SELECT (SELECT COUNT(*) FROM tokens t CROSS JOIN members m ON m.user = t.user WHERE m.organization = ?1) AS tokens,
      (SELECT COUNT(*) FROM members WHERE organization = ?1) AS members, (SELECT COUNT(*) FROM users) AS users`,
    organization.id,
  );

async function expectRefused(sso: Sso, says: Partial<Says>, reason: string): Promise<void> {
  const before = countAccess(sso);
  const response = await signIn(sso, says);
  expect(response.status).toBe(403);
  expect(await response.text()).toContain(reason);
  expect(countAccess(sso)).toEqual(before);
}

/** Creates a member of the provider's organization who did not sign in through SSO. */
async function makeMember(sso: Sso, role = 'read') {
  const member = await server.makeUser({ organization: sso.organization.id, role });
  const { email } = await readUser(member.token);
  return { ...member, email };
}

const mark = (sso: Sso, id: string) =>
  write('UPDATE members SET sso = 1 WHERE organization = ? AND user = ?', sso.organization.id, id);

const markFirst = 'must enable SSO for it first';

test('knowing the email address of a member gives no access to the account, whatever the role', async () => {
  const sso = await makeSso({}, server);
  const member = await makeMember(sso);
  const admin = await readUser(sso.organization.token);

  for (const email of [member.email, member.email.toUpperCase(), admin.email]) {
    await expectRefused(sso, { attributes: { email } }, markFirst);
    await expectRefused(sso, { subject: email, attributes: {} }, 'sent no email address');
  }
});

test('knowing an email address gives no access to an account in other organizations or in none', async () => {
  const sso = await makeSso({}, server);
  const stranger = await readUser((await server.makeOrganization()).token);
  const lonely = await readUser((await server.makeUser()).token);

  for (const { email } of [stranger, lonely]) await expectRefused(sso, { attributes: { email } }, markFirst);
});

test('a verified email address gives no access to an account without tokens and organizations', async () => {
  const sso = await makeSso({}, server);
  const { user: id, token } = await server.makeUser();
  const { email } = await readUser(token);
  await write('DELETE FROM tokens WHERE user = ?', id);
  await write('UPDATE users SET email_verified_at = 1 WHERE id = ?', id);

  await expectRefused(sso, { attributes: { email } }, markFirst);
});

test('a service account cannot sign in', async () => {
  const sso = await makeSso({}, server);
  const { user: id, email } = await makeMember(sso);
  await write("UPDATE users SET kind = 'service' WHERE id = ?", id);
  await mark(sso, id);

  await expectRefused(sso, { attributes: { email } }, markFirst);
});

test("links a marked member to the SSO account once, and keeps the member's role", async () => {
  const sso = await makeSso({ settings: { defaultRole: 'read' } }, server);
  const member = await makeMember(sso, 'review');
  await mark(sso, member.user);

  const first = await createSession(sso, { subject: 's-1', attributes: { email: member.email } });
  const again = await createSession(sso, { subject: 's-1', attributes: { email: 'else@example.test' } });

  expect((await readUser(first.token)).id).toBe(member.user);
  expect((await readUser(again.token)).id).toBe(member.user);
  expect(read('SELECT role FROM members WHERE user = ?', member.user)).toEqual([{ role: 'review' }]);
  await expectRefused(sso, { subject: 's-2', attributes: { email: member.email } }, markFirst);
});

test('the same subject at provider B gives no access to the account linked to provider A', async () => {
  const a = await makeSso({}, server);
  const b = await makeSso({ organization: a.organization, issuer: 'urn:b' }, server);
  const elsewhere = await makeSso({}, server);
  const says = { subject: 'same', attributes: { email: `same-${randomUUID()}@example.test` } };
  const { token } = await createSession(a, says);

  await expectRefused(b, says, markFirst);
  await expectRefused(elsewhere, says, markFirst);
  const other = await createSession(b, { ...says, attributes: { email: `b-${randomUUID()}@example.test` } });
  expect((await readUser(other.token)).id).not.toBe((await readUser(token)).id);
});

test('a subject in another format, case or with white space is a different subject', async () => {
  const sso = await makeSso({}, server);
  const { id } = await readUser((await createSession(sso, { subject: 'name' })).token);

  for (const says of [{ format: null }, { subject: 'name ' }, { subject: 'Name' }, { subject: 'name\u00a0' }]) {
    const other = await createSession(sso, { subject: 'name', ...says });
    expect((await readUser(other.token)).id).not.toBe(id);
  }
});

test('a disabled member cannot sign in, linked or not', async () => {
  const sso = await makeSso({}, server);
  const linked = await readUser((await createSession(sso, { subject: 'disabled' })).token);
  const member = await makeMember(sso);
  await mark(sso, member.user);
  for (const id of [linked.id, member.user]) await write('UPDATE members SET disabled = 1 WHERE user = ?', id);

  await expectRefused(sso, { subject: 'disabled' }, 'disabled');
  await expectRefused(sso, { attributes: { email: member.email } }, 'disabled');
});

test('a removed member loses the session and the link, and may return as a new member', async () => {
  const sso = await makeSso({ settings: { defaultRole: 'read' } }, server);
  const attributes = { email: `back-${randomUUID()}@example.test` };
  const { token } = await createSession(sso, { subject: 'back', attributes });
  const { id } = await readUser(token);
  await write('DELETE FROM members WHERE user = ?', id);

  expect((await server.request('/v1/user', { token })).status).toBe(401);
  const again = await createSession(sso, { subject: 'back', attributes });

  expect((await readUser(again.token)).id).toBe(id);
  expect(read('SELECT role, sso FROM members WHERE user = ?', id)).toEqual([{ role: 'read', sso: 1 }]);
});

test('adds new members to the default team, if it still exists', async () => {
  const sso = await makeSso({}, server);
  const { id: organization, token } = sso.organization;
  const team = `team_${randomUUID().slice(0, 8)}`;
  await write(
    'INSERT INTO teams (id, organization, title, created_at) VALUES (?, ?, ?, 1)',
    team,
    organization,
    'Everybody',
  );
  const path = `/v1/orgs/${organization}/saml/${sso.provider.id}`;
  const body = { defaultTeam: team };
  const changed = await json<object>(path, { token, method: 'PATCH', body }, server);

  const first = await readUser((await createSession(sso)).token);

  expect(changed).toMatchObject({
    defaultTeam: { object: 'team', id: team, title: 'Everybody', permissions: { admin: true } },
  });
  expect(read('SELECT user, role FROM team_members WHERE team = ?', team)).toEqual([
    { user: first.id, role: 'member' },
  ]);
  await write('DELETE FROM teams WHERE id = ?', team);
  expect(await json(path, { token }, server)).not.toHaveProperty('defaultTeam');
  expect((await createSession(sso)).organization).toBe(organization);
});

test('a provider cannot use a team of another organization', async () => {
  const [mine, theirs] = [await makeSso({}, server), await server.makeOrganization()];
  const team = `team_${randomUUID().slice(0, 8)}`;
  await write('INSERT INTO teams (id, organization, title, created_at) VALUES (?, ?, ?, 1)', team, theirs.id, 'Theirs');
  const { id, token } = mine.organization;
  const body = { label: 'x', defaultTeam: team };

  expect((await server.request(`/v1/orgs/${id}/saml`, { token, body })).status).toBe(400);
  const path = `/v1/orgs/${id}/saml/${mine.provider.id}`;
  expect((await server.request(path, { token, method: 'PATCH', body })).status).toBe(400);
});

test('ten concurrent sign-ins of a new person create one user', async () => {
  const sso = await makeSso({}, server);
  const says = { subject: 'at-once', attributes: { email: `once-${randomUUID()}@example.test` } };

  const sessions = await Promise.all(Array.from({ length: 10 }, () => createSession(sso, says)));
  const users = await Promise.all(sessions.map(({ token }) => readUser(token)));

  expect(new Set(users.map(({ id }) => id)).size).toBe(1);
  expect(read('SELECT 1 FROM members WHERE organization = ?', sso.organization.id)).toHaveLength(2);
});
