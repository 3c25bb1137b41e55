import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { findSignInLink, readMails, waitForMail } from '../support/mail.ts';
import { until } from '../support/own-platform.ts';
import { createCountingHeaders, platform, type RequestOptions } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { callWithCookie, startSession } from './sessions.ts';

const createAddress = (domain = 'example.test') => `ada-${randomUUID()}@${domain}`;

async function makePerson(email = createAddress()): Promise<{ email: string; user: string; token: string }> {
  const { user, token } = await callOperator(platform().dataDir, '/token', { email, displayName: 'Ada' });
  return { email, user, token };
}

/** Submits a form of a page of this server. */
const submit = (path: string, fields: Record<string, string>, headers: RequestOptions['headers'] = {}) =>
  platform().request(path, {
    method: 'POST',
    headers: { origin: platform().url, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });

/** Waits until the mail that was requested for an address was sent or dropped. */
const waitUntilSettled = (email: string) =>
  until(
    () =>
      query(
        `SELECT 1 FROM login_links l CROSS JOIN outbox e ON json_extract(e.data, '$.mail') = l.id
        WHERE l.email = ? AND e.type = 'mail.requested' AND e.done_at IS NOT NULL`,
        email,
      )[0],
  );

test('a person gets a mail with a link that opens the requested page once', async () => {
  const { email, user } = await makePerson();
  const page = await platform().request('/login?to=/app/spaces/spc_1');
  expect(await page.text()).toContain('value="/app/spaces/spc_1"');

  const sent = await submit('/login', { email: email.toUpperCase(), to: '/app/spaces/spc_1' });
  expect(sent.status).toBe(200);
  expect(sent.headers.get('set-cookie')).toBeNull();
  const link = findSignInLink(await waitForMail(email));
  expect(await (await platform().request(link)).text()).toContain(email);
  const signedIn = await platform().request(link, { method: 'POST', headers: { origin: platform().url } });

  expect(signedIn.status).toBe(303);
  expect(signedIn.headers.get('location')).toBe(`${platform().url}/app/spaces/spc_1`);
  const { cookie } = readSessionCookie(signedIn);
  expect(await (await callWithCookie('/v1/user', cookie)).json()).toMatchObject({ id: user });
  expect((await platform().request(link, { method: 'POST' })).status).toBe(404);
});

test('known and unknown addresses get the same response and cost the same', async () => {
  const [known, unknown] = [(await makePerson()).email, createAddress()];
  const ask = async (email: string) => {
    const answer = await submit('/login', { email }, createCountingHeaders());
    const { 'octavo-request-id': _, date: __, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, text: (await answer.text()).replaceAll(email, '<address>') };
  };
  const [first, second] = [await ask(known), await ask(unknown)];

  expect(first.headers['server-timing']).toMatch(/rows-written;desc="[1-9]/);
  expect(second).toEqual(first);
  await waitUntilSettled(unknown);
  await waitForMail(known);
  expect(readMails(unknown)).toEqual([]);
});

test('service accounts get no mail', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await json<{ user: { id: string } }>(`/v1/orgs/${organization.id}/service-accounts`, {
    token: organization.token,
    body: { displayName: 'Robot', role: 'read' },
  });
  const [{ email } = { email: '' }] = query<{ email: string }>('SELECT email FROM users WHERE id = ?', user.id);

  expect([200, 400]).toContain((await submit('/login', { email })).status);
  expect(readMails(email)).toEqual([]);
});

test.each(['', 'ada', 'ada@', '@example.test', '<script>alert(1)</script>@x', `${'x'.repeat(300)}@example.test`])(
  'the address %j is rejected on the form',
  async (email) => {
    const answer = await submit('/login', { email });

    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('<script');
  },
);

test('at most five mails in 15 minutes are requested for an address, whether or not a user has it', async () => {
  const addresses = [(await makePerson()).email, createAddress()];
  for (const email of addresses) {
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await submit('/login', { email })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  }
});

test('when the requested links have expired, another mail can be requested', async () => {
  const { email } = await makePerson();
  for (let count = 0; count < 5; count += 1) await submit('/login', { email });
  const limited = await submit('/login', { email });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '900']);
  const age = 15 * 60_000;
  await writeDatabase(
    platform(),
    `UPDATE login_links SET created_at = created_at - ${age}, expires_at = expires_at - ${age} WHERE email = ?`,
    email,
  );

  expect((await submit('/login', { email })).status).toBe(200);
});

test('the sign-in with one link ends the other links of the user', async () => {
  const { email } = await makePerson();
  await submit('/login', { email });
  const first = findSignInLink(await waitForMail(email));
  await submit('/login', { email });
  const second = findSignInLink(await waitForMail(email, { count: 2 }));

  expect((await platform().request(second, { method: 'POST' })).status).toBe(303);
  expect((await platform().request(first, { method: 'POST' })).status).toBe(404);
});

test('an expired link does not sign in', async () => {
  const { email } = await makePerson();
  await submit('/login', { email });
  const link = findSignInLink(await waitForMail(email));
  await writeDatabase(platform(), 'UPDATE login_links SET expires_at = 1 WHERE email = ?', email);

  expect((await platform().request(link, { method: 'POST' })).status).toBe(404);
});

const foreignOrigins = ['https://evil.example', 'null'];

test.each(foreignOrigins)('a form from %s neither requests a mail nor signs in nor signs out', async (origin) => {
  const { email, token } = await makePerson();
  const { cookie } = await startSession();

  expect((await submit('/login', { email }, { origin })).status).toBe(403);
  const withToken = await submit('/login/token', { token }, { origin });
  expect(withToken.status).toBe(403);
  expect(withToken.headers.get('set-cookie')).toBeNull();
  expect((await submit('/logout', {}, { origin, cookie })).status).toBe(403);
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(200);
  expect(readMails(email)).toEqual([]);
});

test('the sign-in pages can be neither framed nor cached, and run no scripts', async () => {
  const { email } = await makePerson();
  const opened = await Promise.all(['/login', '/logout'].map((path) => platform().request(path)));
  for (const page of [...opened, await submit('/login', { email })]) {
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).not.toContain('<script');
  }
});

const badDestinations = [
  'https://evil.example/app',
  '//evil.example/app',
  '/\\evil.example/app',
  '/app\\..\\..\\evil',
  '/%2f%2fevil.example',
  '/app/%2f%2fevil.example',
  '/app/%5cevil.example',
  '/app/../v1/user',
  '/app/./x',
  '/app/..',
  '/application',
  '/appx/evil',
  '/v1/user',
  '/app/\nset-cookie: a=b',
  '/app/\u0000',
  '/app/\u2044evil',
  ' /app',
  'javascript:alert(1)',
  '/app//evil.example',
  `/app/${'x'.repeat(2000)}`,
];

test.each(badDestinations)('the destination %j is rejected, and the form opens the app', async (to) => {
  const { email, token } = await makePerson();

  const form = await platform().request(`/login?to=${encodeURIComponent(to)}`);
  expect(form.status).toBe(200);
  expect(await form.text()).toContain('name="to" value="/app"');
  expect((await submit('/login', { email, to })).status).toBe(400);
  const answer = await submit('/login/token', { token, to });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('location')).toBeNull();
});

test.each([
  '/app',
  '/app/',
  '/app/orgs/org_1',
  '/app/spaces/spc_1/content/page/pg_1?tab=a%20b#c-d',
  '/app/search?q=%2F%2Fx',
  "/app/orgs/org_1?a=b:c,(d)/e?'f'#/g:h",
])('the destination %s is opened', async (to) => {
  const { token } = await makePerson();

  const answer = await submit('/login/token', { token, to });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(`${platform().url}${to}`);
});

test('signing out ends the session and removes the cookie', async () => {
  const { cookie, user } = await startSession();

  expect((await submit('/logout', {}, { cookie, origin: '' })).status).toBe(403);
  const answer = await submit('/logout', {}, { cookie });

  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/login');
  expect(answer.headers.get('set-cookie')).toMatch(/^octavo_session=; HttpOnly; SameSite=Lax; Path=\/; Max-Age=0$/);
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
  expect(query('SELECT id FROM tokens WHERE user = ? AND session IS NOT NULL', user)).toEqual([]);
});

test('a sign-in ends the former session of the browser and never keeps its secret', async () => {
  const former = await startSession();
  const { token } = await makePerson();

  const answer = await submit('/login/token', { token }, { cookie: former.cookie });
  const next = readSessionCookie(answer);

  expect(next.cookie).not.toBe(former.cookie);
  expect((await callWithCookie('/v1/user', former.cookie)).status).toBe(401);
  expect((await callWithCookie('/v1/user', next.cookie)).status).toBe(200);
});

test('a cookie that was set before the sign-in gives no access after it', async () => {
  const forged = `octavo_session=octavo_${'a'.repeat(40)}.1700000000`;
  const { token } = await makePerson();

  const answer = await submit('/login/token', { token }, { cookie: forged });

  expect(readSessionCookie(answer).token).not.toBe('a'.repeat(40));
  expect((await callWithCookie('/v1/user', forged)).status).toBe(401);
});
