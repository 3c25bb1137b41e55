import type { SignInProfile } from '@octavo/schema';
import { EmailAddress } from '@octavo/schema';
import { sessionEndOf } from './assertion.ts';
import { childOf, childrenOf, Refusal, textOf } from './response-shape.ts';
import type { XmlElement } from './xml.ts';

const maxSubjectLength = 512;
const maxDisplayNameLength = 64;
const formats = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
};
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const emailNames = ['email', 'mail', 'emailAddress', 'urn:oid:0.9.2342.19200300.100.1.3', `${claims}/emailaddress`];
const nameNames = [
  'displayName',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'name',
  'cn',
  'urn:oid:2.5.4.3',
  `${claims}/name`,
];
const givenNames = ['givenName', 'firstName', 'urn:oid:2.5.4.42', `${claims}/givenname`];
const surnames = ['sn', 'surname', 'lastName', 'urn:oid:2.5.4.4', `${claims}/surname`];

/** Reads a verified assertion. @throws Refusal */
export function profileOf(assertion: XmlElement): SignInProfile {
  const nameId = childOf(childOf(assertion, 'assertion', 'Subject'), 'assertion', 'NameID');
  const name = textOf(nameId);
  const format = nameId.attributes.get('Format') ?? formats.unspecified;
  if (name === '' || name.length > maxSubjectLength || /\s/.test(format))
    throw new Refusal('The name ID is not usable.');
  if (format === formats.transient) {
    throw new Refusal('The identity provider must send a name ID that lasts, not a transient one.');
  }
  const attributes = attributesOf(assertion);
  const first = (names: string[]) => names.map((each) => attributes.get(each)).find((value) => value !== undefined);
  const both = [first(givenNames), first(surnames)].filter((part) => part !== undefined).join(' ');
  const displayName = (first(nameNames) ?? both).replace(/\s+/g, ' ').trim();
  const addresses = [...(format === formats.email ? [name] : []), first(emailNames)];
  return {
    subject: `${format} ${name}`,
    email: addresses.find((address) => EmailAddress.safeParse(address).success) ?? null,
    displayName: displayName.slice(0, maxDisplayNameLength).replace(/[\ud800-\udbff]$/, '') || null,
    sessionEndsAt: sessionEndOf(assertion) ?? null,
  };
}

/** The first value of each attribute that has one. */
function attributesOf(assertion: XmlElement): Map<string, string> {
  const all = childrenOf(assertion, 'assertion', 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, 'assertion', 'Attribute'),
  );
  const found = new Map<string, string>();
  for (const each of all) {
    const name = each.attributes.get('Name') ?? '';
    const [value] = childrenOf(each, 'assertion', 'AttributeValue');
    const text = value === undefined || value.children.length > 0 ? '' : value.text.trim();
    if (text !== '' && !found.has(name)) found.set(name, text);
  }
  return found;
}
