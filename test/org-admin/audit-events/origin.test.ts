import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { findSignInLink, waitForMail } from '../../support/mail.ts';
import { platform } from '../../support/platform.ts';
import { createSession, makeSso } from '../../support/sign-in.ts';
import { createAuditLogClient } from './activity.ts';

const from = { 'x-real-ip': '203.0.113.9', 'user-agent': 'a browser' };
const sender = { ip: '203.0.113.9', userAgent: 'a browser' };

test("an SSO sign-in is logged with the browser's IP address and user agent", async () => {
  const { request, ...rest } = platform();
  const requestAsBrowser: typeof request = (path, options = {}) =>
    request(path, { ...options, headers: { ...options.headers, ...from } });
  const sso = await makeSso({}, { ...rest, request: requestAsBrowser });
  await createSession(sso);

  const events = await createAuditLogClient(sso.organization).all({ action: 'member.signed_in' });

  expect(events.map(({ origin }) => origin)).toEqual([sender]);
});

test("a sign-in by mail is logged with the browser's IP address and user agent, and its token is unbound", async () => {
  const organization = await platform().makeOrganization();
  const email = `ada-${randomUUID()}@example.test`;
  const body = { emails: [email] };
  const { token } = organization;
  const { users } = await json<{ users: string[] }>(`/v1/orgs/${organization.id}/invites`, { token, body });
  const link = findSignInLink(await waitForMail(email));
  expect((await platform().request(link, { method: 'POST', headers: from })).status).toBe(303);

  const eventRows = query<{ origin: string; organization: string | null }>(
    "SELECT origin, organization FROM outbox WHERE type = 'token.created' AND actor = ?",
    users[0] ?? '',
  );

  expect(eventRows.map((row) => ({ ...row, origin: JSON.parse(row.origin) }))).toEqual([
    { organization: null, origin: sender },
  ]);
});

test("a PDF is logged with the browser's IP address and user agent, even though another worker creates it", async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  await makePage(space, 'A page');
  const response = await platform().request(`/v1/spaces/${space.id}/pdf`, { token: space.token, headers: from });
  expect(response.status).toBe(200);

  const { all, details } = createAuditLogClient(organization);
  const [event] = await all({ action: 'pdf.requested' });

  expect(event?.origin).toEqual({ ...sender, token: expect.any(String) });
  expect(await details(event?.id ?? '')).toMatchObject({ correlationId: response.headers.get('octavo-request-id') });
});

const getBytes = (words: string) => Buffer.from(words).toString('latin1');

test.each([
  ['10 KB of it', 'x'.repeat(10_000), 'x'.repeat(256)],
  ['terminal control characters', getBytes('curl\t8 \u{85}<b>\u{202e}é'), 'curl8 <b>é'],
  ['a surrogate pair at the limit', getBytes(`${'x'.repeat(255)}😀😀`), 'x'.repeat(255)],
])('stores at most 256 characters of a user agent: %s', async (_, userAgent, storedText) => {
  const { id, token } = await platform().makeOrganization();
  const options = { token, method: 'PATCH', body: { title: 'Other' }, headers: { 'user-agent': userAgent } };
  expect((await platform().request(`/v1/orgs/${id}`, options)).status).toBe(200);

  const [event] = await createAuditLogClient({ id, token }).all();

  expect(event?.origin?.userAgent).toBe(storedText);
});
