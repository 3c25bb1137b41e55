import { beforeAll, expect, test } from 'vitest';
import { query } from '../support/database.ts';
import type { Says } from '../support/saml-response.ts';
import { createHonestResponse, createResponse, getAssertion, getResponse, signXml } from '../support/saml-response.ts';
import type { Sso } from '../support/sign-in.ts';
import { begin, createSession, deliver, finishSignIn, makeSso } from '../support/sign-in.ts';

let sso: Sso;

beforeAll(async () => {
  sso = await makeSso();
});

const minute = 60_000;

async function deliverSaying(says: Partial<Says>, change = (xml: string) => xml) {
  const { request } = await begin(sso);
  const all = { ...createHonestResponse(sso.provider.service, { issuer: sso.issuer, request }), ...says };
  const xml = getResponse(all, signXml(change(getAssertion(all)), sso.identity));
  const response = await deliver(sso, xml, request);
  return { status: response.status, text: await response.text(), request };
}

const isOpen = (request: string) => query('SELECT code FROM saml_requests WHERE id = ?', request)[0]?.code === null;

const lies: [string, () => Partial<Says>, string][] = [
  ['for another audience', () => ({ audience: 'https://other.test' }), 'another audience'],
  ['for no audience', () => ({ audience: null }), 'another audience'],
  ['for another recipient', () => ({ recipient: 'https://other.test/acs' }), 'another recipient'],
  ['for no recipient', () => ({ recipient: null }), 'another recipient'],
  ['for another destination', () => ({ destination: 'https://other.test/acs' }), 'another destination'],
  ['from another issuer', () => ({ issuer: 'https://other.test' }), 'another issuer'],
  ['that becomes valid after the clock skew', () => ({ from: Date.now() + 2 * minute }), 'not valid yet'],
  ['that expired before the clock skew', () => ({ to: Date.now() - 2 * minute }), 'has expired'],
  ['without an expiration time', () => ({ to: null }), 'has no expiration time'],
  ['whose confirmation expired before the clock skew', () => ({ confirmedTo: Date.now() - 2 * minute }), 'has expired'],
  ['whose confirmation has no expiration time', () => ({ confirmedTo: null }), 'has no expiration time'],
  ['whose session has ended', () => ({ sessionEnd: Date.now() - minute }), 'has expired'],
  ['without a request ID', () => ({ request: null, confirmed: null }), 'does not belong'],
  ['whose confirmation has no request ID', () => ({ confirmed: null }), 'does not belong'],
  ['whose response has no request ID', () => ({ request: null }), 'does not belong'],
  ['whose confirmation has the ID of another request', () => ({ confirmed: `_${'x'.repeat(32)}` }), 'does not belong'],
  ['of a failed sign-in', () => ({ status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }), 'Responder'],
];

test.each(lies)('rejects a signed assertion %s', async (_, says, reason) => {
  const { status, text, request } = await deliverSaying(says());

  expect(status).toBe(403);
  expect(text).toContain(reason);
  expect(isOpen(request)).toBe(true);
});

const changes: [string, (xml: string) => string][] = [
  ['without conditions', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '')],
  ['with conditions twice', (xml) => xml.replace(/(<saml:Conditions.*<\/saml:Conditions>)/, '$1$1')],
  ['with an unknown condition', (xml) => xml.replace('</saml:Conditions>', '<saml:Condition/></saml:Conditions>')],
  ['without a subject', (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, '')],
  ['without a name ID', (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '')],
  ['with two name IDs', (xml) => xml.replace(/(<saml:NameID.*<\/saml:NameID>)/, '$1$1')],
  ['with an empty name ID', (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, '$1')],
  ['with an element in the name ID', (xml) => xml.replace('</saml:NameID>', '<saml:x/>admin</saml:NameID>')],
  ['without a confirmation', (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '')],
  [
    'with two confirmations',
    (xml) => xml.replace(/(<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>)/, '$1$1'),
  ],
  ['with a confirmation method other than bearer', (xml) => xml.replace('cm:bearer', 'cm:sender-vouches')],
  ['without an authentication statement', (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '')],
  ['with an empty issuer', (xml) => xml.replace(/<saml:Issuer>[^<]*</, '<saml:Issuer><')],
  [
    'with a second audience restriction for another audience',
    (xml) =>
      xml.replace(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
  ],
  [
    'with an invalid timestamp',
    (xml) => xml.replace(/<saml:Conditions NotBefore="[^"]+"/, '<saml:Conditions NotBefore="now"'),
  ],
];

test.each(changes)('rejects a signed assertion %s', async (_, change) => {
  const { status, request } = await deliverSaying({}, (xml) => {
    expect(change(xml)).not.toBe(xml);
    return change(xml);
  });

  expect(status).toBe(403);
  expect(isOpen(request)).toBe(true);
});

/** Starts a sign-in and returns it with the valid response of the identity provider. */
async function startSignIn(of = sso, more: { subject?: string } = {}) {
  const begun = await begin(of);
  const says = createHonestResponse(of.provider.service, { issuer: of.issuer, request: begun.request, ...more });
  return { ...begun, says, xml: createResponse(says, of.identity) };
}

test('accepts only one of ten concurrent deliveries of a response', async () => {
  const { xml, request, cookie } = await startSignIn();

  const responses = await Promise.all(Array.from({ length: 10 }, () => deliver(sso, xml, request)));

  const taken = responses.filter(({ status }) => status === 303);
  expect(taken).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 403)).toHaveLength(9);
  expect((await deliver(sso, xml, request)).status).toBe(403);
  expect((await finishSignIn(sso, taken[0]?.headers.get('location') ?? '', cookie)).status).toBe(200);
  expect((await deliver(sso, xml, request)).status).toBe(403);
});

test('completes only one of ten concurrent requests to finish a sign-in', async () => {
  await createSession(sso, { subject: 'known' });
  const { xml, request, cookie } = await startSignIn(sso, { subject: 'known' });
  const location = (await deliver(sso, xml, request)).headers.get('location') ?? '';

  const responses = await Promise.all(Array.from({ length: 10 }, () => finishSignIn(sso, location, cookie)));

  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 403)).toHaveLength(9);
});

test('rejects an unknown request ID, and a request with another state', async () => {
  const { xml, says, request } = await startSignIn();
  const other = await begin(sso);
  const unknown = `_${'u'.repeat(32)}`;

  expect((await deliver(sso, xml, other.request)).status).toBe(403);
  expect((await deliver(sso, xml, '')).status).toBe(403);
  const madeUp = createResponse({ ...says, request: unknown, confirmed: unknown }, sso.identity);
  expect((await deliver(sso, madeUp, unknown)).status).toBe(403);
  expect([isOpen(request), isOpen(other.request)]).toEqual([true, true]);
});

test("rejects a response to another provider's request, even if issuer and key are the same", async () => {
  const other = await makeSso();
  const begun = await begin(other);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request: begun.request });

  const loginResponse = await deliver(sso, createResponse(says, sso.identity), begun.request);

  expect(loginResponse.status).toBe(403);
  expect(isOpen(begun.request)).toBe(true);
});

test('provider B rejects an assertion for provider A', async () => {
  const other = await makeSso();
  const { xml, request } = await startSignIn();

  expect((await deliver(other, xml, request)).status).toBe(403);
  expect(isOpen(request)).toBe(true);
});

test('completes a sign-in only in the browser that started it', async () => {
  const { xml, request, cookie } = await startSignIn();
  const other = await begin(sso);
  const location = (await deliver(sso, xml, request)).headers.get('location') ?? '';

  for (const wrong of [undefined, '', other.cookie, 'octavo_sso=', 'octavo_sso=x', `${cookie}x`, `x${cookie}`]) {
    const response = await finishSignIn(sso, location, wrong);
    expect([wrong, response.status]).toEqual([wrong, 403]);
    expect(await response.text()).not.toContain('octavo_');
  }
  for (const code of ['', 'x', encodeURIComponent("' OR 1")]) {
    expect((await finishSignIn(sso, location.replace(/code=.*/, `code=${code}`), cookie)).status).toBe(403);
  }
  const elsewhere = await makeSso();
  expect((await finishSignIn(sso, location.replace(sso.provider.id, elsewhere.provider.id), cookie)).status).toBe(403);
  expect((await finishSignIn(sso, location, `a=b; ${cookie}; c=d`)).status).toBe(200);
});

test('stores neither the code nor the cookie in plain text, and deletes the sign-in when it is completed', async () => {
  const { xml, request, cookie } = await startSignIn();
  const location = (await deliver(sso, xml, request)).headers.get('location') ?? '';
  const row = JSON.stringify(query('SELECT * FROM saml_requests WHERE id = ?', request));

  expect(row).not.toContain(cookie.replace('octavo_sso=', ''));
  expect(row).not.toContain(new URL(location).searchParams.get('code'));
  await finishSignIn(sso, location, cookie);
  expect(query('SELECT 1 FROM saml_requests WHERE id = ?', request)).toEqual([]);
});
