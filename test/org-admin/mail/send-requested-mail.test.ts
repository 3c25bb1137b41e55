import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { callOperator, getMailFolder } from '@octavo/platform';
import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, queryDatabase, writeDatabase } from '../../support/database.ts';
import { findSignInLink, readMails, signIn, waitForMail } from '../../support/mail.ts';
import { until } from '../../support/own-platform.ts';
import type { Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const getAddress = (name: string) => `${name}-${randomUUID()}@example.test`;
const invite = async (
  { id, token }: { id: string; token: string },
  email: string,
  { server = platform() as Server, ...more }: { server?: Server; sso?: boolean; role?: string } = {},
) =>
  (await json<{ users: string[] }>(`/v1/orgs/${id}/invites`, { token, body: { emails: [email], ...more } }, server))
    .users[0] ?? '';

test('an invitation names the inviter and the organization, and contains a working sign-in link', async () => {
  const { makeOrganization, makeSpace, url } = platform();
  const organization = await makeOrganization('Acme');
  const space = await makeSpace({ organization });
  const email = getAddress('ada');
  const user = await invite(organization, email, { role: 'edit' });

  const mail = await waitForMail(email);

  expect(mail.headers).toEqual({
    Date: expect.stringMatching(/GMT$/),
    From: 'Octavo <octavo@localhost>',
    To: email,
    Subject: 'A tester invited you to "Acme" on Octavo',
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  });
  expect(mail.text).toContain('A tester invited you to "Acme" on Octavo.\n');
  expect(mail.text.match(/\S*:\/\/\S*/g)).toEqual([`${url}${findSignInLink(mail)}`]);
  const token = await signIn(mail);
  expect(await json('/v1/user', { token })).toMatchObject({ id: user, email });
  expect(await json(`/v1/spaces/${space.id}`, { token })).toMatchObject({ permissions: { edit: true } });
});

test('only the mail contains the secret, and the database only its hash', async () => {
  const organization = await platform().makeOrganization();
  const email = getAddress('ada');
  const user = await invite(organization, email);
  const secret = findSignInLink(await waitForMail(email)).replace('/sign-in/', '');
  const tables = query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");

  expect(secret).toMatch(/^\w{40}$/);
  for (const { name } of tables.filter(({ name }) => !/^(_cf_|sqlite_)/.test(name))) {
    const rows = JSON.stringify(query(`SELECT * FROM ${name} ORDER BY 1 DESC LIMIT 5000`));
    expect([name, rows.includes(secret)]).toEqual([name, false]);
  }
  const week = 7 * 24 * 60 * 60_000;
  expect(
    query('SELECT length(hash) AS length, expires_at - created_at AS lasts FROM sign_in_links WHERE user = ?', user),
  ).toEqual([{ length: 64, lasts: week }]);
});

test('only the owner of the data folder can read mails', async () => {
  const { dataDir, makeOrganization } = platform();
  const email = getAddress('ada');
  await invite(await makeOrganization(), email);
  await waitForMail(email);

  expect(statSync(getMailFolder(dataDir)).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(getMailFolder(dataDir)).filter((each) => each.endsWith('.eml')))
    expect(statSync(path.join(getMailFolder(dataDir), name)).mode & 0o777).toBe(0o600);
});

test('members who sign in through SSO get no sign-in link', async () => {
  const organization = await platform().makeOrganization();
  const email = getAddress('ada');
  const user = await invite(organization, email, { sso: true });

  const { text } = await waitForMail(email);

  expect(text).toContain('SSO');
  expect(text).not.toContain('://');
  expect(query('SELECT hash FROM sign_in_links WHERE user = ?', user)).toEqual([]);
});

describe('with existing states', () => {
  const server = platform();
  const write = (statement: string, ...values: (string | number | null)[]) =>
    writeDatabase(server, statement, ...values);
  const waitForMailEvents = (organization: string) =>
    until(() => {
      const rows = queryDatabase<{ done_at: number | null }>(
        server.dataDir,
        "SELECT done_at FROM outbox WHERE type = 'mail.requested' AND organization = ?",
        organization,
      );
      return (rows.length > 0 && rows.every(({ done_at }) => done_at !== null)) || undefined;
    });

  test('user text in a mail stays on one line and cannot add a link or header', async () => {
    const organization = await server.makeOrganization('Acme" https://evil.example www.evil.example');
    const name = 'Eve To: eve@evil.example https://evil.example/sign-in/x';
    const eve = { organization: organization.id, role: 'admin', email: getAddress('eve'), displayName: name };
    const { token, user } = await callOperator(server.dataDir, '/token', eve);
    const breakLines = (text: string) => text.replaceAll(' ', '\r\n\n');
    await write('UPDATE organizations SET title = ? WHERE id = ?', breakLines(organization.title), organization.id);
    await write('UPDATE users SET display_name = ? WHERE id = ?', breakLines(name), user);
    const email = getAddress('ada');
    await invite({ id: organization.id, token }, email, { server });

    const mail = await waitForMail(email, { server });

    expect(Object.keys(mail.headers)).toHaveLength(7);
    expect(mail.headers.To).toBe(email);
    expect(mail.headers.Subject?.length).toBeLessThan(200);
    expect(mail.text.split('\n\n')).toHaveLength(4);
    expect(mail.text).not.toMatch(/evil\.|\/\/evil/);
    expect(mail.text.match(/\S*:\/\/\S*/g)).toHaveLength(1);
  });

  test.each([
    ['who is marked for SSO', { sso: true }, 0],
    ['of an organization that enforces SSO', {}, 1],
  ])('a member %s gets the sign-in pages of the active providers', async (_, more, enforced) => {
    const organization = await server.makeOrganization();
    const [ready, pending] = [`saml_ready_${enforced}`, `saml_pending_${enforced}`];
    for (const id of [ready, pending])
      await write(
        "INSERT INTO saml_providers (id, organization, label, sso_url, entity_id, certificate, created_at) VALUES (?, ?, 'x', 'u', 'e', ?, 1)",
        id,
        organization.id,
        id === ready ? 'c' : '',
      );
    await write('UPDATE organizations SET sso = ? WHERE id = ?', enforced, organization.id);
    const email = getAddress('ada');
    await invite(organization, email, { server, ...more });

    const { text } = await waitForMail(email, { server });

    expect(text.match(/\S*:\/\/\S*/g)).toEqual([`${server.url}/sso/saml/${ready}/start`]);
  });

  test('sends no mail to a user who is no longer a member', async () => {
    const organization = await server.makeOrganization();
    const [gone, disabled] = [await server.makeUser(), await server.makeUser()];
    for (const { user } of [gone, disabled]) {
      await write(
        'INSERT INTO mails (id, user, organization, created_at) VALUES (?, ?, ?, ?)',
        `mail_${user}`,
        user,
        organization.id,
        Date.now(),
      );
      await write(
        `INSERT INTO outbox (id, type, organization, actor, request_id, data, created_at, sent_at)
          VALUES (?, 'mail.requested', ?, ?, '', ?, ?, 1)`,
        `evt_${user}`,
        organization.id,
        organization.user,
        JSON.stringify({ user, mail: `mail_${user}` }),
        Date.now(),
      );
    }
    await write(
      'INSERT INTO members (organization, user, disabled, joined_at) VALUES (?, ?, 1, 1)',
      organization.id,
      disabled.user,
    );
    await callOperator(server.dataDir, '/cron', { worker: 'org-admin', cron: '* * * * *' });

    await waitForMailEvents(organization.id);
    for (const { token } of [gone, disabled]) {
      const { email } = await json<{ email: string }>('/v1/user', { token }, server);
      expect(readMails(email, server)).toEqual([]);
    }
  });
});
