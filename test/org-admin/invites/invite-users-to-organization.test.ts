import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, queryDatabase, writeDatabase } from '../../support/database.ts';
import { readMails, waitForMail, waitForMails } from '../../support/mail.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface InvitesResponse {
  users: string[];
  invited: number;
  failedSSOEmails?: string[];
}

const getAddress = (name: string) => `${name}-${randomUUID()}@example.test`;
const ask = ({ id, token }: TestOrganization, body: object, server: Server = platform()) =>
  server.request(`/v1/orgs/${id}/invites`, { token, body });
const invite = ({ id, token }: TestOrganization, body: object, server: Server = platform()) =>
  json<InvitesResponse>(`/v1/orgs/${id}/invites`, { token, body }, server);
const getEmail = async (token: string) => (await json<{ email: string }>('/v1/user', { token })).email;
const getMembers = ({ id }: TestOrganization) =>
  query<{ user: string; role: string | null; sso: number }>(
    'SELECT user, role, sso FROM members WHERE organization = ? ORDER BY user',
    id,
  );

test('creates users for unknown addresses, and members for all, in order', async () => {
  const { makeOrganization, makeUser } = platform();
  const [organization, known] = [await makeOrganization(), await makeUser()];
  const [one, two] = [getAddress('ada'), getAddress('bob')];

  const emails = [one, await getEmail(known.token), { email: two, role: 'edit' }];
  const response = await invite(organization, { emails, role: 'read' });

  expect(response).toEqual({ users: [expect.any(String), known.user, expect.any(String)], invited: 3 });
  const [ada = '', , bob = ''] = response.users;
  expect(query('SELECT email, display_name, kind, email_verified_at FROM users WHERE id = ?', ada)).toEqual([
    { email: one, display_name: one.split('@')[0], kind: 'person', email_verified_at: null },
  ]);
  expect(getMembers(organization)).toEqual(
    expect.arrayContaining([
      { user: ada, role: 'read', sso: 0 },
      { user: known.user, role: 'read', sso: 0 },
      { user: bob, role: 'edit', sso: 0 },
    ]),
  );
  expect(
    query(
      "SELECT id FROM outbox WHERE type = 'member.added' AND organization = ? AND actor = ?",
      organization.id,
      organization.user,
    ),
  ).toHaveLength(4);
});

test('invites users as guests by default, or if the role is null', async () => {
  const organization = await platform().makeOrganization();

  const { users } = await invite(organization, { emails: [getAddress('ada')] });
  const other = await invite(organization, { emails: [{ email: getAddress('bob'), role: null }], role: 'edit' });

  const guests = getMembers(organization).filter(({ role }) => role === null);
  expect(guests.map(({ user }) => user).sort()).toEqual([...users, ...other.users].sort());
});

test('invites repeated addresses once, ignoring case', async () => {
  const organization = await platform().makeOrganization();
  const email = getAddress('ada');

  const emails = [{ email: email.toUpperCase(), role: 'comment' }, email, { email, role: 'admin' }];
  const response = await invite(organization, { emails });
  const secondResponse = await invite(organization, { emails: [email] });

  expect(response).toMatchObject({ users: [expect.any(String)], invited: 1 });
  expect(secondResponse).toEqual(response);
  expect(getMembers(organization)).toContainEqual({ user: response.users[0], role: 'comment', sso: 0 });
});

test('a member keeps the current role and gets another mail', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const member = await makeUser({ organization: organization.id, role: 'read' });
  const email = await getEmail(member.token);

  expect(await invite(organization, { emails: [email], role: 'admin' })).toEqual({ users: [member.user], invited: 1 });
  expect(getMembers(organization)).toContainEqual({ user: member.user, role: 'read', sso: 0 });
  expect(await waitForMail(email)).toBeDefined();
});

test('with `sso`, new members sign in through SSO, and existing members stay unchanged', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const member = await makeUser({ organization: organization.id, role: 'read' });
  const [email, ada] = [await getEmail(member.token), getAddress('ada')];

  const response = await invite(organization, { emails: [email, ada], role: 'edit', sso: true });

  expect(response).toEqual({ users: [expect.any(String)], invited: 1, failedSSOEmails: [email] });
  expect(getMembers(organization)).toEqual(
    expect.arrayContaining([
      { user: member.user, role: 'read', sso: 0 },
      { user: response.users[0], role: 'edit', sso: 1 },
    ]),
  );
  expect(await invite(organization, { emails: [ada], sso: true })).toEqual({ users: response.users, invited: 1 });
  await waitForMails(organization.id);
  expect(readMails(email)).toEqual([]);
});

test.each([
  [{}],
  [{ emails: [] }],
  [{ emails: 'ada@example.test' }],
  [{ emails: ['ada'] }],
  [{ emails: ['ada@example.test', 'Ada <ada@example.test>'] }],
  [{ emails: ['ada@example.test\r\nBcc: x@example.test'] }],
  [{ emails: [`${'x'.repeat(250)}@example.test`] }],
  [{ emails: [{ email: 'ada@example.test' }] }],
  [{ emails: [{ email: 'ada@example.test', role: 'owner' }] }],
  [{ emails: ['ada@example.test'], role: 'none' }],
  [{ emails: ['ada@example.test'], sso: 'yes' }],
  [{ emails: Array.from({ length: 101 }, (_, index) => `ada${index}@example.test`) }],
])('rejects %j and writes nothing', async (body) => {
  const organization = await platform().makeOrganization();

  const response = await ask(organization, body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
  expect(getMembers(organization)).toHaveLength(1);
});

test('unknown and known addresses get the same response at the same cost', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const inviteAndRead = async (email: string) => {
    const response = await ask(organization, { emails: [email] });
    const body = (await response.json()) as InvitesResponse;
    return {
      status: response.status,
      headers: [...response.headers].filter(([name]) => !/^(date|octavo-)/.test(name)),
      body: { ...body, users: body.users.map((id) => id.replace(/\w{20}$/, '')) },
    };
  };
  const unknown = await inviteAndRead(getAddress('ada'));
  const known = await inviteAndRead(await getEmail((await makeUser()).token));

  expect(known).toEqual(unknown);
  expect(known.headers).toContainEqual(['server-timing', 'd1-trips;desc="3", d1-sequential-trips;desc="3"']);
});

test('concurrent invitations of one new address create one user', async () => {
  const { makeOrganization } = platform();
  const organizations = [await makeOrganization(), await makeOrganization(), await makeOrganization()];
  const email = getAddress('ada');

  const calls = organizations.flatMap((each) => [ask(each, { emails: [email] }), ask(each, { emails: [email] })]);
  const responses = await Promise.all(calls);

  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const bodies = (await Promise.all(responses.map((each) => each.json()))) as InvitesResponse[];
  expect(new Set(bodies.flatMap(({ users }) => users)).size).toBe(1);
  expect(query('SELECT id FROM users WHERE email = ?', email)).toHaveLength(1);
});

describe('with existing states', () => {
  const server = platform();
  const write = (statement: string, ...values: (string | number | null)[]) =>
    writeDatabase(server, statement, ...values);
  const read = (statement: string, ...values: (string | number | null)[]) =>
    queryDatabase(server.dataDir, statement, ...values);

  test("users get the organization's default role if no role is set", async () => {
    const organization = await server.makeOrganization();
    await write("UPDATE organizations SET default_role = 'review' WHERE id = ?", organization.id);

    const { users } = await invite(organization, { emails: [getAddress('ada')] }, server);

    expect(read('SELECT role FROM members WHERE user = ?', users[0] ?? '')).toEqual([{ role: 'review' }]);
  });

  test('a disabled member is not enabled and gets no mail', async () => {
    const organization = await server.makeOrganization();
    const email = getAddress('ada');
    const {
      users: [user = ''],
    } = await invite(organization, { emails: [email] }, server);
    await waitForMail(email, { server });
    await write('UPDATE members SET disabled = 1 WHERE user = ?', user);

    expect(await invite(organization, { emails: [email], role: 'admin' }, server)).toEqual({ users: [], invited: 0 });
    expect(read('SELECT disabled, role FROM members WHERE user = ?', user)).toEqual([{ disabled: 1, role: null }]);
    expect(
      read("SELECT id FROM outbox WHERE type = 'mail.requested' AND organization = ?", organization.id),
    ).toHaveLength(1);
    expect(read('SELECT hash FROM sign_in_links WHERE user = ?', user)).toEqual([]);
  });

  test('rejects a service account with the path of the field, and writes nothing', async () => {
    const organization = await server.makeOrganization();
    const email = getAddress('bot');
    await write(
      "INSERT INTO users (id, email, display_name, created_at, kind) VALUES (?, ?, 'Bot', 1, 'service')",
      email,
      email,
    );

    const response = await ask(organization, { emails: [getAddress('ada'), { email, role: 'read' }] }, server);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { issues: [{ path: 'body.emails.1', message: 'must not be a service account' }] },
    });
    expect(read('SELECT user FROM members WHERE organization = ?', organization.id)).toHaveLength(1);
  });
});
