import { beforeAll, expect, test } from 'vitest';
import { createHonestResponse, createResponse, getAssertion, getResponse, signXml } from '../support/saml-response.ts';
import type { Sso } from '../support/sign-in.ts';
import { begin, deliver, makeSso, postForm } from '../support/sign-in.ts';

let sso: Sso;

beforeAll(async () => {
  sso = await makeSso();
});

async function createValidResponse() {
  const begun = await begin(sso);
  const says = createHonestResponse(sso.provider.service, { issuer: sso.issuer, request: begun.request });
  return { ...begun, says, xml: createResponse(says, sso.identity) };
}

const laughs = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join(
  '',
);

const changes: [string, (xml: string) => string][] = [
  ['a document type', (xml) => `<!DOCTYPE x>${xml}`],
  [
    'an external entity',
    (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('Ada Lovelace', '&e;')}`,
  ],
  ['an external document type', (xml) => `<?xml version="1.0"?><!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">${xml}`],
  ['a billion laughs', (xml) => `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>${xml.replace('Ada Lovelace', '&l10;')}`],
  ['an entity that is not declared', (xml) => xml.replace('Ada Lovelace', '&nbsp;')],
  ['a comment', (xml) => xml.replace('<saml:Subject>', '<!-- x --><saml:Subject>')],
  ['a comment in the name ID', (xml) => xml.replace('</saml:NameID>', '<!---->.evil.test</saml:NameID>')],
  ['CDATA', (xml) => xml.replace('Ada Lovelace', '<![CDATA[Ada Lovelace]]>')],
  ['a processing instruction', (xml) => xml.replace('<saml:Subject>', '<?x y?><saml:Subject>')],
  ['a processing instruction in the name ID', (xml) => xml.replace('</saml:NameID>', '<?x?>.evil.test</saml:NameID>')],
  ['another encoding', (xml) => `<?xml version="1.0" encoding="UTF-16"?>${xml}`],
  ['XML 1.1', (xml) => `<?xml version="1.1"?>${xml}`],
  ['two documents', (xml) => xml + xml],
  ['text around the root element', (xml) => `x${xml}`],
  ['an unclosed element', (xml) => xml.replace('</saml:NameID>', '')],
  ['a duplicate attribute', (xml) => xml.replace(' Version="2.0"', ' Version="2.0" Version="2.0"')],
  ['an undeclared prefix', (xml) => xml.replace('<saml:Subject>', '<nope:x/><saml:Subject>')],
  ['a character that XML does not allow', (xml) => xml.replace('Ada Lovelace', '&#0;')],
  ['NUL', (xml) => xml.replace('Ada Lovelace', '\u0000')],
  ['elements 60,000 deep', () => '<a>'.repeat(60_000)],
  ['elements nested 30,000 deep', () => '<a>'.repeat(30_000) + '</a>'.repeat(30_000)],
  ['a signed assertion below 100 elements', (xml) => '<a>'.repeat(100) + xml + '</a>'.repeat(100)],
  ['40,000 elements', (xml) => xml.replace('<saml:Subject>', `${'<a/>'.repeat(40_000)}<saml:Subject>`)],
  ['a tag of a million spaces', () => `<a${' '.repeat(200_000)}!`],
  ['a tag of many quotes', () => `<a ${'b="" '.repeat(40_000)}`],
  ['many namespaces', () => `<a ${Array.from({ length: 9000 }, (_, index) => `xmlns:n${index}="x"`).join(' ')}/>`],
  ['many ampersands', () => `<a>${'&'.repeat(200_000)}</a>`],
  ['nothing', () => ''],
  ['no XML', () => 'hello'],
  ['an open bracket', () => '<'],
];

test.each(changes)('rejects %s within the time limit', async (_, change) => {
  const { xml, request } = await createValidResponse();
  const started = performance.now();

  const response = await deliver(sso, change(xml), request);
  const text = await response.text();

  expect(response.status).toBe(400);
  expect(text).toContain('body.SAMLResponse');
  expect(text).not.toContain('root:');
  expect(performance.now() - started).toBeLessThan(15_000);
});

test('accepts an XML declaration, white space and escaped characters', async () => {
  const { says, request } = await createValidResponse();
  const changed = { ...says, subject: 'a&b <c> "d" é' };
  const xml = getResponse(changed, `\n  ${signXml(getAssertion(changed), sso.identity)}\n`);

  const response = await deliver(sso, `<?xml version="1.0" encoding="UTF-8"?>\n${xml}\n`, request);

  expect(response.status).toBe(303);
});

const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');

test.each([
  ['invalid base64', () => '<xml/>'],
  ['incomplete base64', (xml: string) => `${base64(xml)}=A`],
  ['UTF-16', (xml: string) => base64(`\ufeff${xml}`, 'utf16le')],
  [
    'bytes that are not UTF-8',
    (xml: string) => Buffer.from(xml.replace('Ada', 'Ad\u00e9'), 'latin1').toString('base64'),
  ],
  ['a byte order mark', (xml: string) => base64(`\ufeff${xml}`)],
])('rejects a response in %s', async (_, encode) => {
  const { xml, request } = await createValidResponse();

  const response = await postForm(sso, { SAMLResponse: encode(xml), RelayState: request });

  expect(response.status).toBe(400);
});

test.each(['', 'SAMLResponse=x', 'RelayState=x', 'RelayState=x&SAMLResponse=x&SAMLResponse=y'])(
  'rejects the form "%s"',
  async (body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await sso.server.request(`/sso/saml/${sso.provider.id}/acs`, { method: 'POST', headers, body });

    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Something went wrong');
  },
);

test('rejects other content types, and a body above the limit', async () => {
  const path = `/sso/saml/${sso.provider.id}/acs`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const deep = Buffer.from('<a>'.repeat(100_000)).toString('base64');
  const huge = `RelayState=x&SAMLResponse=${'A'.repeat(600 * 1024)}`;

  expect((await sso.server.request(path, { body: { SAMLResponse: 'x' } })).status).toBe(415);
  expect((await sso.server.request(path, { method: 'POST', headers: form, body: huge })).status).toBe(413);
  expect((await postForm(sso, { SAMLResponse: deep, RelayState: '_x' })).status).toBe(413);
});

test('the SSO endpoints support no other methods and paths', async () => {
  const { server, provider } = sso;

  for (const [method, page, status] of [
    ['GET', 'acs', 405],
    ['POST', 'start', 405],
    ['POST', 'finish', 405],
    ['GET', 'logout', 404],
    ['GET', '', 404],
  ] as const) {
    const response = await server.request(`/sso/saml/${provider.id}/${page}`, { method });
    expect([page, response.status]).toEqual([page, status]);
  }
});
