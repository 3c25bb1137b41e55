import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { readMails, waitForMail } from '../support/mail.ts';
import { platform } from '../support/platform.ts';
import { createHonestResponse, createResponse } from '../support/saml-response.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { begin, deliver, makeSso, type Sso } from '../support/sign-in.ts';
import { callWithCookie } from './sessions.ts';

const submit = (fields: Record<string, string>) =>
  platform().request('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

test('offers no SSO by the domain of an address, because domains are not verified', async () => {
  const sso = await makeSso();
  const domain = `${randomUUID()}.test`;
  const { id, token, title } = sso.organization;
  await platform().makeOrganization();
  await json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { emailDomains: [domain] } });

  for (const page of [await submit({ email: `ada@${domain}` }), await platform().request('/login')]) {
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).not.toContain('/sso/saml/');
    expect(text).not.toContain(title);
  }
});

test('the sign-in page explains how to start SSO', async () => {
  expect(await (await platform().request('/login')).text()).toContain('Open the SSO sign-in URL of your organization.');
});

/** Runs a sign-in that starts with a query, and returns the last response. */
async function signInFrom(sso: Sso, query: string): Promise<Response> {
  const { cookie, request } = await begin(sso, query);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request });
  const accepted = await deliver(sso, createResponse(says, sso.identity), request);
  const { pathname, search } = new URL(accepted.headers.get('location') ?? '');
  return sso.server.request(pathname + search, { headers: { cookie } });
}

test('the sign-in ends at the requested page of the app', async () => {
  const sso = await makeSso();

  const answer = await signInFrom(sso, '?to=%2Fapp%2Fspaces%2Fspc_1');

  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(`${platform().url}/app/spaces/spc_1`);
});

test.each(['//evil.example', '/\\evil.example', '/%2f%2fevil.example', 'https://evil.example/app', '/v1/user'])(
  'a sign-in cannot end at %s',
  async (to) => {
    const { provider } = await makeSso();

    const answer = await platform().request(`/sso/saml/${provider.id}/start?to=${encodeURIComponent(to)}`);
    expect(answer.status).toBe(400);
    expect(answer.headers.has('set-cookie')).toBe(false);
  },
);

test('a session of SSO is valid in the organization only, and ends with the membership', async () => {
  const sso = await makeSso({ settings: { defaultRole: 'read' } });
  const { cookie } = readSessionCookie(await signInFrom(sso, ''));
  const { id } = (await (await callWithCookie('/v1/user', cookie)).json()) as { id: string };
  expect((await callWithCookie(`/v1/orgs/${sso.organization.id}`, cookie)).status).toBe(200);
  expect((await callWithCookie('/v1/orgs', cookie, { body: { title: 'Other' } })).status).toBe(403);
  const callAsAdmin = (path: string, method: string) =>
    platform().request(`/v1/orgs/${sso.organization.id}/members/${id}${path}`, {
      token: sso.organization.token,
      method,
    });

  await callAsAdmin('/disable', 'POST');
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
  await callAsAdmin('/enable', 'POST');
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(200);
  await callAsAdmin('', 'DELETE');
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
});

test('the mail to a member who must use SSO has the link of the provider and no other', async () => {
  const sso = await makeSso();
  const email = `ada-${randomUUID()}@example.test`;
  const { id, token } = sso.organization;
  await json(`/v1/orgs/${id}/invites`, { token, body: { emails: [email], sso: true } });
  await waitForMail(email);

  await submit({ email, to: '/app/inbox' });
  const { text } = await waitForMail(email, { count: 2 });

  expect(text).toContain(`/sso/saml/${sso.provider.id}/start?to=%2Fapp%2Finbox`);
  expect(text).not.toContain('/sign-in/');
  expect(readMails(email)).toHaveLength(2);
});
