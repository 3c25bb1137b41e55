import { createPublicKey, X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Identity } from '../support/certificate.ts';
import { makeIdentity } from '../support/certificate.ts';
import { query } from '../support/database.ts';
import type { Says } from '../support/saml-response.ts';
import {
  createHonestResponse,
  createResponse,
  getAssertion,
  getId,
  getResponse,
  hmacSha1,
  signXml,
} from '../support/saml-response.ts';
import type { Begun, Sso } from '../support/sign-in.ts';
import { begin, deliver, finishSignIn, makeSso } from '../support/sign-in.ts';

let sso: Sso;
let stranger: Identity;

beforeAll(async () => {
  sso = await makeSso();
  stranger = makeIdentity();
});

interface Attack extends Begun {
  honest: Says;
  /** The response contents that the attacker forges. */
  forged: Says;
  key: Identity;
}

async function prepare(): Promise<Attack> {
  const begun = await begin(sso);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request: begun.request });
  const forged = { ...says, subject: 'the-victim', attributes: { ...says.attributes, displayName: 'Mallory' } };
  return { ...begun, honest: says, forged, key: sso.identity };
}

/** Expects a response to be rejected and the sign-in to stay open for an honest response. */
async function expectRefused(attack: Attack, xml: string, statuses = [400, 403]): Promise<string> {
  const response = await deliver(sso, xml, attack.request);
  const text = await response.text();
  expect(statuses).toContain(response.status);
  expect(response.headers.has('location')).toBe(false);
  expect(text).toContain('Something went wrong');
  expect(query('SELECT code FROM saml_requests WHERE id = ?', attack.request)).toEqual([{ code: null }]);
  expect(query("SELECT 1 FROM sso_identities WHERE subject LIKE '%the-victim%'")).toEqual([]);
  return text;
}

const getSignature = (xml: string): string => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';

test('accepts the unmodified response that the following attacks change', async () => {
  const { honest: says, key, request, cookie } = await prepare();

  const loginResponse = await deliver(sso, createResponse(says, key), request);

  expect(loginResponse.status).toBe(303);
  expect((await finishSignIn(sso, loginResponse.headers.get('location') ?? '', cookie)).status).toBe(200);
});

test('rejects an unsigned response', async () => {
  const attack = await prepare();

  expect(await expectRefused(attack, getResponse(attack.forged, getAssertion(attack.forged)), [403])).toContain(
    'The assertion is not signed.',
  );
});

test('rejects a response signed with another key, with or without its certificate', async () => {
  const attack = await prepare();

  await expectRefused(attack, createResponse(attack.forged, stranger), [403]);
  const certificate = stranger.certificate.replace(/-----[A-Z ]+-----|\s/g, '');
  const info = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  const signedXml = createResponse(attack.forged, stranger).replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, '');
  await expectRefused(attack, signedXml.replace('</ds:Signature>', `${info}</ds:Signature>`), [403]);
});

test.each([
  ['the subject', (xml: string, { honest }: Attack) => xml.replace(`>${honest.subject}<`, '>the-victim<')],
  ['an attribute', (xml: string) => xml.replace('Ada Lovelace', 'Ada Mallory')],
  ['a condition', (xml: string) => xml.replace(/NotOnOrAfter="20\d\d-/g, 'NotOnOrAfter="2099-')],
  ['the signature', (xml: string) => xml.replace(/<ds:SignatureValue>.{4}/, '<ds:SignatureValue>AAAA')],
  ['the digest', (xml: string) => xml.replace(/<ds:DigestValue>.{4}/, '<ds:DigestValue>AAAA')],
  [
    'an added attribute',
    (xml: string) => xml.replace('</saml:AttributeStatement>', '<saml:Attribute Name="a"/></saml:AttributeStatement>'),
  ],
  [
    'an added comment',
    (xml: string, { honest }: Attack) => xml.replace(honest.subject, `the-victim<!-- -->${honest.subject}`),
  ],
])('rejects a response in which %s was changed', async (_, change) => {
  const attack = await prepare();
  const xml = createResponse(attack.honest, attack.key);
  const changed = change(xml, attack);

  expect(changed).not.toBe(xml);
  await expectRefused(attack, changed);
});

test('rejects a signed response with an unsigned assertion', async () => {
  const attack = await prepare();
  const whole = signXml(getResponse(attack.honest, getAssertion(attack.honest)), attack.key);

  expect(await expectRefused(attack, whole, [403])).toContain('The assertion is not signed.');
});

test('rejects a signed assertion in a response with an invalid signature', async () => {
  const attack = await prepare();

  await expectRefused(attack, signXml(createResponse(attack.honest, attack.key), stranger), [403]);
});

const forgedId = '_forged';

/**
 * Signature wrapping: moves the genuine signed assertion to a position where it is not read, and inserts a forged
 * assertion.
 */
const wrappings: Record<string, (attack: Attack, genuine: string, forged: string) => string> = {
  'a second assertion before': ({ honest }, genuine, forged) => getResponse(honest, forged + genuine),
  'a second assertion after': ({ honest }, genuine, forged) => getResponse(honest, genuine + forged),
  'the signed assertion in Extensions': ({ honest }, genuine, forged) =>
    getResponse(honest, `<samlp:Extensions>${genuine}</samlp:Extensions>${forged}`),
  'the signed assertion in the Object of its moved signature': ({ honest }, genuine, forged) => {
    const signature = getSignature(genuine);
    const bare = genuine.replace(signature, '');
    const wrapped = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
    return getResponse(honest, forged.replace('</saml:Issuer>', `</saml:Issuer>${wrapped}`));
  },
  'the signed assertion inside the forged one': ({ honest }, genuine, forged) =>
    getResponse(honest, forged.replace('</saml:Assertion>', `${genuine}</saml:Assertion>`)),
  'the signed assertion inside the forged one, and its signature outside': ({ honest }, genuine, forged) => {
    const signature = getSignature(genuine);
    const inside = forged.replace('</saml:Assertion>', `${genuine.replace(signature, '')}</saml:Assertion>`);
    return getResponse(honest, inside.replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
  },
  'the signed assertion in a nested response': ({ honest }, genuine, forged) =>
    getResponse(honest, `<samlp:Extensions>${getResponse(honest, genuine)}</samlp:Extensions>${forged}`),
  'the whole response inside the forged assertion': ({ honest }, genuine, forged) =>
    getResponse(honest, forged.replace('</saml:Subject>', `${getResponse(honest, genuine)}</saml:Subject>`)),
  'the ID of the signed assertion twice': ({ honest }, genuine, forged) =>
    getResponse(honest, `<samlp:Extensions>${genuine}</samlp:Extensions>${forged.replace(forgedId, getId(genuine))}`),
  'the ID of the signed assertion twice, with its signature': ({ honest }, genuine, forged) => {
    const signature = getSignature(genuine);
    const same = forged.replace(forgedId, getId(genuine)).replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
    return getResponse(honest, same);
  },
  'the ID of the signed assertion as Id elsewhere': ({ honest }, genuine) =>
    getResponse(honest, genuine.replace('<saml:Conditions ', `<saml:Conditions Id="${getId(genuine)}" `)),
  'a duplicate ID that is not signed': ({ honest }, genuine) =>
    getResponse(honest, genuine, '_twice').replace('<samlp:StatusCode ', '<samlp:StatusCode id="_twice" '),
  'an assertion of another namespace': ({ honest }, genuine, forged) =>
    getResponse(honest, forged.replace('SAML:2.0:assertion', 'SAML:1.0:assertion') + genuine),
  'a second signature in the signed assertion': ({ honest, forged: says }, genuine) =>
    getResponse(
      honest,
      genuine.replace('</ds:Signature>', `</ds:Signature>${getSignature(signXml(getAssertion(says), stranger))}`),
    ),
  'a second reference in the signature': ({ honest }, genuine) =>
    getResponse(
      honest,
      genuine.replace('</ds:SignedInfo>', `${/<ds:Reference .*<\/ds:Reference>/s.exec(genuine)?.[0]}</ds:SignedInfo>`),
    ),
  'an empty reference': ({ honest }, genuine) => getResponse(honest, genuine.replace(/URI="#[^"]+"/, 'URI=""')),
};

test.each(Object.entries(wrappings))('rejects signature wrapping with %s', async (_, wrap) => {
  const attack = await prepare();
  const genuine = signXml(getAssertion(attack.honest), attack.key);

  const xml = wrap(attack, genuine, getAssertion(attack.forged, forgedId));

  await expectRefused(attack, xml, [403]);
});

const xmldsig = 'http://www.w3.org/2000/09/xmldsig#';

test.each([
  ['RSA-SHA1', { method: `${xmldsig}rsa-sha1` }],
  ['a SHA-1 digest', { digest: `${xmldsig}sha1` }],
  [
    'a transform that keeps comments',
    { transforms: [`${xmldsig}enveloped-signature`, 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'] },
  ],
  [
    'inclusive canonicalization',
    { transforms: [`${xmldsig}enveloped-signature`, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'] },
  ],
])('rejects a signature made with the right key but with %s', async (_, signing) => {
  const attack = await prepare();

  await expectRefused(attack, createResponse(attack.honest, attack.key, signing), [403]);
});

test('rejects an HMAC that uses the certificate or public key as its key', async () => {
  const attack = await prepare();
  const { certificate } = attack.key;
  const publicKey = createPublicKey(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'pem' }));
  const keys = [
    certificate,
    certificate.replace(/-----[A-Z ]+-----|\s/g, ''),
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  ];

  for (const privateKey of keys) {
    await expectRefused(attack, createResponse(attack.forged, { privateKey }, { method: hmacSha1 }), [403]);
  }
});

test.each([
  'none',
  '',
  'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
])('rejects the signature method "%s"', async (method) => {
  const attack = await prepare();
  const xml = createResponse(attack.forged, stranger).replace(
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    method,
  );

  expect(await expectRefused(attack, xml, [403])).toContain('SignatureMethod');
});

test('rejects an encrypted assertion', async () => {
  const attack = await prepare();
  const encrypted =
    '<saml:EncryptedAssertion><x:EncryptedData xmlns:x="http://www.w3.org/2001/04/xmlenc#"/></saml:EncryptedAssertion>';

  for (const content of [encrypted, encrypted + signXml(getAssertion(attack.honest), attack.key)]) {
    expect(await expectRefused(attack, getResponse(attack.honest, content), [403])).toContain('Encrypted');
  }
});
