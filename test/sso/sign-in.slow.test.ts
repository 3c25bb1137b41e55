import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query } from '../support/database.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { createHonestResponse, createResponse, formats, formatTime, signXml } from '../support/saml-response.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { begin, createSession, deliver, finishSignIn, makeSso, signIn } from '../support/sign-in.ts';

const hours = 60 * 60_000;

test('creates a member for a user confirmed by the provider, with a token for the organization', async () => {
  const sso = await makeSso({ settings: { defaultRole: 'edit' } });
  const attributes = { email: `ada-${Date.now()}@example.test`, displayName: 'Ada Lovelace' };

  const { token, organization, expiresAt } = await createSession(sso, { attributes });

  expect(organization).toBe(sso.organization.id);
  expect(token).toMatch(/^octavo_\w{40}$/);
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(11.9 * hours);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(12 * hours);
  const user = await json<{ id: string }>('/v1/user', { token });
  expect(user).toMatchObject({ displayName: 'Ada Lovelace', email: attributes.email });
  expect(await json(`/v1/orgs/${organization}`, { token })).toMatchObject({ permissions: { admin: false } });
  expect(query('SELECT role, sso, disabled FROM members WHERE user = ?', user.id)).toEqual([
    { role: 'edit', sso: 1, disabled: 0 },
  ]);
  expect(query('SELECT email_verified_at FROM users WHERE id = ?', user.id)).toEqual([{ email_verified_at: null }]);
  expect(query('SELECT type FROM outbox WHERE actor = ? ORDER BY type', user.id)).toEqual([
    { type: 'member.added' },
    { type: 'member.signed_in' },
  ]);
});

test('creates a guest if the provider has no default role', async () => {
  const { token } = await createSession(await makeSso());
  const { id } = await json<{ id: string }>('/v1/user', { token });

  expect(query('SELECT role FROM members WHERE user = ?', id)).toEqual([{ role: null }]);
});

test('recognizes the same subject with another email address', async () => {
  const sso = await makeSso();
  const first = await createSession(sso, { subject: 'subject-1' });
  const user = await json<{ id: string; email: string }>('/v1/user', { token: first.token });

  const again = await createSession(sso, { subject: 'subject-1' });

  expect(again.token).not.toBe(first.token);
  expect(await json('/v1/user', { token: again.token })).toEqual(user);
  expect(await json('/v1/user', { token: first.token })).toEqual(user);
});

test('accepts RSA-SHA512, a signed response, and times within the clock skew', async () => {
  const sso = await makeSso();
  const { request, cookie } = await begin(sso);
  const now = Date.now();
  const says = createHonestResponse(sso.provider.service, {
    issuer: sso.issuer,
    request,
    from: now + 50_000,
    to: now - 50_000,
  });
  const algorithms = {
    method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
  };

  const accepted = await deliver(sso, signXml(createResponse(says, sso.identity, algorithms), sso.identity), request);

  expect(accepted.status).toBe(303);
  expect((await finishSignIn(sso, accepted.headers.get('location') ?? '', cookie)).status).toBe(200);
});

test('the session expires with the session at the provider', async () => {
  const sso = await makeSso();
  const sessionEnd = Math.floor(Date.now() / 1000) * 1000 + hours;

  expect(await createSession(sso, { sessionEnd })).toMatchObject({ expiresAt: formatTime(sessionEnd) });
});

test('deletes expired requests and sessions', async () => {
  const sso = await makeSso();
  const sessionEnd = Date.now() + 1500;
  const { token } = await createSession(sso, { subject: 'again', sessionEnd });
  const { id } = await json<{ id: string }>('/v1/user', { token });
  await until(async () => ((await platform().request('/v1/user', { token })).status === 401 ? true : undefined));
  // A token is rejected up to a second before its session ends.
  await until(() => Date.now() > sessionEnd || undefined);

  await createSession(sso, { subject: 'again' });

  expect(query('SELECT COUNT(*) AS n FROM tokens WHERE user = ?', id)).toEqual([{ n: 1 }]);
});

test('keeps the latest twenty sessions', async () => {
  const sso = await makeSso();
  const first = await createSession(sso, { subject: 'many' });
  const { id } = await json<{ id: string }>('/v1/user', { token: first.token });
  const tokens: string[] = [];
  for (let index = 0; index < 22; index += 1) tokens.push((await createSession(sso, { subject: 'many' })).token);

  expect(query('SELECT COUNT(*) AS n FROM tokens WHERE user = ?', id)).toEqual([{ n: 20 }]);
  const statuses = await Promise.all(
    [tokens[0], tokens[2], tokens.at(-1)].map((token) => platform().request('/v1/user', { token })),
  );
  expect(statuses.map(({ status }) => status)).toEqual([401, 200, 200]);
});

test('redirects to the provider with a request ID', async () => {
  const sso = await makeSso({ settings: { ssoURL: 'https://idp.test/sso?tenant=7' } });
  const { server, provider } = sso;

  const response = await server.request(`/sso/saml/${provider.id}/start`);
  const { location, request } = await begin(sso);

  expect(response.headers.get('set-cookie')).toMatch(
    /^octavo_sso=\w{43}; HttpOnly; SameSite=Lax; Path=\/sso\/; Max-Age=600$/,
  );
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(location.origin + location.pathname).toBe('https://idp.test/sso');
  expect(location.searchParams.get('tenant')).toBe('7');
  expect(location.searchParams.get('RelayState')).toBe(request);
  expect(request).toMatch(/^_\w{32}$/);
});

test('serves metadata for identity providers, even while the provider is pending', async () => {
  const server = platform();
  const { id, token } = await server.makeOrganization();
  const pending = await json<{ id: string; service: { acsURL: string; entityID: string } }>(`/v1/orgs/${id}/saml`, {
    token,
    body: { label: 'Later' },
  });

  const response = await server.request(`/sso/saml/${pending.id}/metadata`);
  const text = await response.text();

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');
  expect(text).toContain(`entityID="${pending.service.entityID}"`);
  expect(text).toContain(`Location="${pending.service.acsURL}"`);
  expect(text).toContain('WantAssertionsSigned="true"');
});

test('returns 404 for a pending or missing provider', async () => {
  const server = platform();
  const { id, token } = await server.makeOrganization();
  const pending = await json<{ id: string }>(`/v1/orgs/${id}/saml`, { token, body: { label: 'Later' } });

  for (const provider of [pending.id, 'saml_none']) {
    expect((await server.request(`/sso/saml/${provider}/start`)).status).toBe(404);
    const form = { SAMLResponse: 'PGEvPg==', RelayState: '_x' };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    expect((await server.request(`/sso/saml/${provider}/acs`, { method: 'POST', headers, body })).status).toBe(404);
  }
  expect((await server.request('/sso/saml/saml_none/metadata')).status).toBe(404);
});

test.each(['return_to=//evil.test', 'RelayState=https://evil.test', 'next=%5Cevil', 'x'])(
  'start accepts no query parameters: %s',
  async (parameter) => {
    const { server, provider } = await makeSso();

    const response = await server.request(`/sso/saml/${provider.id}/start?${parameter}`);

    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
    expect(response.headers.has('set-cookie')).toBe(false);
  },
);

test('a browser gets a session that is bound to the organization, and opens the app', async () => {
  const sso = await makeSso();
  const { cookie, request } = await begin(sso);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request });
  const accepted = await deliver(sso, createResponse(says, sso.identity), request);
  const { pathname, search } = new URL(accepted.headers.get('location') ?? '');

  const page = await sso.server.request(pathname + search, { headers: { cookie } });
  const { header, token } = readSessionCookie(page);

  expect(page.status).toBe(303);
  expect(page.headers.get('location')).toBe(`${sso.server.url}/app/orgs/${sso.organization.id}`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.getSetCookie()).toEqual([header, expect.stringMatching(/^octavo_sso=; .*Max-Age=0$/)]);
  const { id } = await json<{ id: string }>('/v1/user', { token });
  expect(query('SELECT organization FROM tokens WHERE user = ? AND session IS NOT NULL', id)).toEqual([
    { organization: sso.organization.id },
  ]);
});

test('requires a persistent name ID', async () => {
  const sso = await makeSso();

  await expect(signIn(sso, { format: formats.transient })).rejects.toThrow('acs answered 403');
});

test('requires an email address for a new account', async () => {
  const response = await signIn(await makeSso(), { attributes: {} });

  expect(response.status).toBe(403);
  expect(await response.text()).toContain('sent no email address');
});
