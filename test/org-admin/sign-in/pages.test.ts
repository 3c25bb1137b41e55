import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { readLogOfRequest } from '../../support/log.ts';
import { findSignInLink, signIn, waitForMail } from '../../support/mail.ts';
import type { Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { readSessionCookie } from '../../support/session-cookies.ts';

const day = 24 * 60 * 60_000;

/** Invites a new address to a new organization and returns the path of the link in the mail. */
async function mailLink(server: Server = platform(), title = 'Acme') {
  const organization = await server.makeOrganization(title);
  const email = `ada-${randomUUID()}@example.test`;
  const { users } = await json<{ users: string[] }>(
    `/v1/orgs/${organization.id}/invites`,
    { token: organization.token, body: { emails: [email] } },
    server,
  );
  const link = findSignInLink(await waitForMail(email, { server }));
  return { organization, email, user: users[0] ?? '', link };
}
const readVerificationTime = (user: string) =>
  query<{ at: number | null }>('SELECT email_verified_at AS at FROM users WHERE id = ?', user)[0]?.at;
const open = (link: string) => platform().request(link);
const use = (link: string, headers: Record<string, string> = {}) =>
  platform().request(link, { method: 'POST', headers });

test('opening a link does not use it, and its button signs in only once', async () => {
  const { link, email, user, organization } = await mailLink();
  for (const page of [await open(link), await open(link)]) {
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).toMatch(new RegExp(`Acme[^]*${email}[^]*<form method="post">`));
  }
  expect(readVerificationTime(user)).toBeNull();

  const page = await use(link);
  const { header, token } = readSessionCookie(page);

  expect(page.status).toBe(303);
  expect(page.headers.get('location')).toBe(`${platform().url}/app/orgs/${organization.id}`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(header).toMatch(/^octavo_session=octavo_\w{40}\.\d{10}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=77\d{5}$/);
  expect(readVerificationTime(user)).toBeGreaterThan(Date.now() - 60_000);
  expect(await json('/v1/user', { token })).toMatchObject({ id: user });
  for (const response of [await use(link), await open(link)]) {
    expect(response.status).toBe(404);
    const text = await response.text();
    expect(text).toContain('<h1>This link was already used or has expired</h1>');
    expect(text).toContain('<a href="/login">');
    expect(text).not.toContain('Request ID');
  }
});

test('the session is not scoped, ends after two weeks without use, and can create a permanent token', async () => {
  const { link, user } = await mailLink();
  const { token } = readSessionCookie(
    await use(link, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }),
  );

  const columns = 'label, scopes, organization, expires_at - created_at AS lasts, ends_at - created_at AS ends';
  expect(query(`SELECT ${columns}, session = id AS first FROM tokens WHERE user = ?`, user)).toEqual([
    {
      ...{ label: 'Firefox on Linux', scopes: null, organization: null, first: 1 },
      ...{ lasts: expect.closeTo(14 * day, -3), ends: expect.closeTo(90 * day, -3) },
    },
  ]);
  const lasting = await json<{ token: string }>('/v1/user/tokens', { token, body: { label: 'Lasting' } });
  expect(await json('/v1/user', { token: lasting.token })).toMatchObject({ id: user });
  expect(query("SELECT actor FROM outbox WHERE type = 'token.created' AND actor = ?", user)).toHaveLength(2);
});

test('a program that asks for JSON gets the secret of the session', async () => {
  const { link, user } = await mailLink();

  const answer = await use(link, { accept: 'application/json; charset=utf-8, text/html' });
  const { token } = (await answer.json()) as { token: string };

  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await json('/v1/user', { token })).toMatchObject({ id: user });
});

test('a link can be used only once, also concurrently', async () => {
  const links = await Promise.all(Array.from({ length: 8 }, () => mailLink()));

  for (const { link, user } of links) {
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => use(link)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([303, ...Array.from({ length: 24 }, () => 404)]);
    expect(query('SELECT id FROM tokens WHERE user = ?', user)).toHaveLength(1);
  }
});

test('returns 404 for an invalid link in any form', async () => {
  for (const secret of ['x'.repeat(40), 'x', '%27', `${'x'.repeat(40)}/`, '../user', '']) {
    expect([secret, (await open(`/sign-in/${secret}`)).status]).toEqual([secret, 404]);
    expect([secret, (await use(`/sign-in/${secret}`)).status]).toEqual([secret, 404]);
  }
});

test('a page of another site cannot use a link', async () => {
  const { link, user } = await mailLink();
  const { url } = platform();
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${url}.evil.example` },
    { origin: url.replace('http:', 'https:') },
  ];

  for (const headers of foreign) expect((await use(link, headers)).status).toBe(403);
  expect(query('SELECT id FROM tokens WHERE user = ?', user)).toEqual([]);
  expect((await use(link, { origin: url })).status).toBe(303);
});

test('the referrer policy of the page sends only the origin', async () => {
  const { link } = await mailLink();

  expect(await (await open(link)).text()).toContain('<meta name="referrer" content="origin">');
});

test('escapes a title on the page', async () => {
  const { link } = await mailLink(platform(), '<script>alert(1)</script>"\'&amp;');

  const page = await (await open(link)).text();

  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;amp;');
});

test('neither the secret of a link nor its token is in the log or database', async () => {
  const { link } = await mailLink();
  const { request } = platform();
  const secret = link.replace('/sign-in/', '');
  await open(link);
  await use(link, { origin: 'https://evil.example' });
  const { token = '' } = readSessionCookie(await use(link));
  for (const path of [link, `${link}/`, `/x${link}`, `/v1${link}`, `/SIGN-IN/${secret}`, `/sign-in//${secret}`])
    await request(path);
  const log = await readLogOfRequest(await request('/v1/user', { token }));

  expect(log).toContain('"/sign-in/…"');
  for (const each of [secret, token]) expect(log.includes(each)).toBe(false);
  for (const table of ['sign_in_links', 'tokens', 'outbox', 'mails']) {
    const rows = JSON.stringify(query(`SELECT * FROM ${table}`));
    expect([table, rows.includes(secret) || rows.includes(token)]).toEqual([table, false]);
  }
});

test("keeps the timestamp of the user's first verification", async () => {
  const { organization, link, email, user } = await mailLink();
  await use(link);
  const first = readVerificationTime(user);
  await json(`/v1/orgs/${organization.id}/invites`, { token: organization.token, body: { emails: [email] } });

  await signIn(await waitForMail(email, { count: 2 }));

  expect(readVerificationTime(user)).toBe(first);
});

describe('with existing states', () => {
  const server = platform();

  test('an expired link returns the same as a missing one', async () => {
    const { link, user } = await mailLink(server);
    await writeDatabase(server, 'UPDATE sign_in_links SET expires_at = ? WHERE user = ?', Date.now() - 1, user);

    expect((await server.request(link)).status).toBe(404);
    expect((await server.request(link, { method: 'POST' })).status).toBe(404);
  });

  test('links of disabled and former members do not work', async () => {
    const [disabled, gone] = [await mailLink(server), await mailLink(server)];
    await writeDatabase(server, 'UPDATE members SET disabled = 1 WHERE user = ?', disabled.user);
    await writeDatabase(server, 'DELETE FROM members WHERE user = ?', gone.user);

    for (const { link } of [disabled, gone]) expect((await server.request(link, { method: 'POST' })).status).toBe(404);
  });

  test("creating a link deletes the user's expired links", async () => {
    const { organization, email, user } = await mailLink(server);
    await writeDatabase(server, 'UPDATE sign_in_links SET expires_at = 1 WHERE user = ?', user);
    await json(`/v1/orgs/${organization.id}/invites`, { token: organization.token, body: { emails: [email] } }, server);
    const mail = await waitForMail(email, { count: 2, server });

    expect((await server.request(findSignInLink(mail), { method: 'POST' })).status).toBe(303);
  });
});
