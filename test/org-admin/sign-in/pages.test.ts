import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { logAfter } from '../../support/log.ts';
import { linkIn, nextMail, signIn } from '../../support/mail.ts';
import type { Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

/** Invites a new address to a new organization and returns the path of the link in the mail. */
async function mailLink(server: Server = platform(), title = 'Acme') {
  const organization = await server.makeOrganization(title);
  const email = `ada-${randomUUID()}@example.test`;
  const { users } = await json<{ users: string[] }>(
    `/v1/orgs/${organization.id}/invites`,
    { token: organization.token, body: { emails: [email] } },
    server,
  );
  const link = linkIn(await nextMail(email, { server }));
  return { organization, email, user: users[0] ?? '', link };
}
const verifiedAt = (user: string) =>
  query<{ at: number | null }>('SELECT email_verified_at AS at FROM users WHERE id = ?', user)[0]?.at;
const open = (link: string) => platform().request(link);
const use = (link: string, headers: Record<string, string> = {}) =>
  platform().request(link, { method: 'POST', headers });
const tokenIn = (page: string) => /octavo_\w{40}/.exec(page)?.[0] ?? '';

test('opening a link does not use it, and its button signs in only once', async () => {
  const { link, email, user } = await mailLink();
  for (const page of [await open(link), await open(link)]) {
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).toMatch(new RegExp(`Acme[^]*${email}[^]*<form method="post">`));
  }
  expect(verifiedAt(user)).toBeNull();

  const page = await use(link);
  const token = tokenIn(await page.text());

  expect(page.status).toBe(200);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(verifiedAt(user)).toBeGreaterThan(Date.now() - 60_000);
  expect(await json('/v1/user', { token })).toMatchObject({ id: user });
  for (const again of [await use(link), await open(link)]) {
    expect(again.status).toBe(404);
    expect(await again.text()).toContain('Ask for a new invitation');
  }
});

test('the token is not scoped, expires after 12 hours, and can create a permanent token', async () => {
  const { link, user } = await mailLink();
  const token = tokenIn(await (await use(link)).text());

  expect(
    query('SELECT label, scopes, organization, expires_at - created_at AS lasts FROM tokens WHERE user = ?', user),
  ).toEqual([{ label: 'Sign-in by email', scopes: null, organization: null, lasts: expect.closeTo(43_200_000, -3) }]);
  const lasting = await json<{ token: string }>('/v1/user/tokens', { token, body: { label: 'Lasting' } });
  expect(await json('/v1/user', { token: lasting.token })).toMatchObject({ id: user });
  expect(query("SELECT actor FROM outbox WHERE type = 'token.created' AND actor = ?", user)).toHaveLength(2);
});

test('a link can be used only once, also concurrently', async () => {
  const links = await Promise.all(Array.from({ length: 8 }, () => mailLink()));

  for (const { link, user } of links) {
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => use(link)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 24 }, () => 404)]);
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
  expect((await use(link, { origin: url })).status).toBe(200);
});

test('signing in sets no cookie, and the referrer policy sends only the origin', async () => {
  const { link } = await mailLink();

  expect(await (await open(link)).text()).toContain('<meta name="referrer" content="origin">');
  expect((await use(link)).headers.get('set-cookie')).toBeNull();
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
  const token = tokenIn(await (await use(link)).text());
  for (const path of [link, `${link}/`, `/x${link}`, `/v1${link}`, `/SIGN-IN/${secret}`, `/sign-in//${secret}`])
    await request(path);
  const log = await logAfter(await request('/v1/user', { token }));

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
  const first = verifiedAt(user);
  await json(`/v1/orgs/${organization.id}/invites`, { token: organization.token, body: { emails: [email] } });

  await signIn(await nextMail(email, { count: 2 }));

  expect(verifiedAt(user)).toBe(first);
});

describe('with existing states', () => {
  const server = platform();

  test('an expired link returns the same as a missing one', async () => {
    const { link, user } = await mailLink(server);
    await writePast(server, 'UPDATE sign_in_links SET expires_at = ? WHERE user = ?', Date.now() - 1, user);

    expect((await server.request(link)).status).toBe(404);
    expect((await server.request(link, { method: 'POST' })).status).toBe(404);
  });

  test('links of disabled and former members do not work', async () => {
    const [disabled, gone] = [await mailLink(server), await mailLink(server)];
    await writePast(server, 'UPDATE members SET disabled = 1 WHERE user = ?', disabled.user);
    await writePast(server, 'DELETE FROM members WHERE user = ?', gone.user);

    for (const { link } of [disabled, gone]) expect((await server.request(link, { method: 'POST' })).status).toBe(404);
  });

  test("creating a link deletes the user's expired links", async () => {
    const { organization, email, user } = await mailLink(server);
    await writePast(server, 'UPDATE sign_in_links SET expires_at = 1 WHERE user = ?', user);
    await json(`/v1/orgs/${organization.id}/invites`, { token: organization.token, body: { emails: [email] } }, server);
    const mail = await nextMail(email, { count: 2, server });

    expect((await server.request(linkIn(mail), { method: 'POST' })).status).toBe(200);
  });
});
