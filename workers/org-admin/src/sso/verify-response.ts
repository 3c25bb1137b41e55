import { describeError } from '@octavo/runtime';
import type { SignInProfile } from '@octavo/schema';
import { EmailAddress } from '@octavo/schema';
import type { IdentityProvider, Service } from './queries.ts';
import { getChild, getChildren, getText, namespaces, Refusal, requireShape } from './response-shape.ts';
import { verifySignedAssertion } from './saml-library.ts';
import type { XmlElement } from './xml.ts';
import { parseXml, XmlFault } from './xml.ts';

/**
 * Returns the profile of a response that was signed with the provider's certificate. First, our strict parser checks
 * the content. Then the library verifies the signature and returns the signed assertion. Only this assertion can be
 * trusted, so it is parsed and checked afterwards. @throws Refusal, XmlFault
 */
export async function verifyResponse(
  base64: string,
  provider: IdentityProvider,
  expected: ExpectedValues,
): Promise<SignInProfile> {
  const response = parseXml(decodeBase64(base64));
  const { isSigned } = requireShape(response);
  requireResponse(response, expected);
  requireAssertion(getChild(response, 'assertion', 'Assertion'), expected);
  const { request, service } = expected;
  const signed = await verifySignedAssertion({ provider, service }, { base64, request, isSigned }).catch(
    (error: unknown) => {
      throw new Refusal("The signature of the response does not match the provider's certificate.", {
        cause: describeError(error),
      });
    },
  );
  const assertion = parseXml(signed);
  requireAssertion(assertion, expected);
  return getProfile(assertion);
}

function decodeBase64(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new XmlFault('must be UTF-8 encoded as base64');
  }
}

const maxClockSkewMilliseconds = 60_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The values that an assertion and its response must name. */
interface ExpectedValues {
  issuer: string;
  service: Service;
  request: string;
}

/** Checks the response around the assertion. @throws Refusal */
function requireResponse(response: XmlElement, expected: ExpectedValues): void {
  const destination = response.attributes.get('Destination');
  if (destination !== undefined && destination !== expected.service.acsURL) {
    throw new Refusal('The response is for another destination.');
  }
  requireRequest(response, expected);
  if (getChildren(response, 'assertion', 'Issuer').length > 0) requireIssuer(response, expected);
}

/** Checks the issuer, audience, recipient and validity of an assertion. @throws Refusal */
function requireAssertion(assertion: XmlElement, expected: ExpectedValues): void {
  if (assertion.namespace !== namespaces.assertion || assertion.name !== 'Assertion') {
    throw new Refusal('The signed element is not an assertion.');
  }
  requireIssuer(assertion, expected);
  requireConditions(getChild(assertion, 'assertion', 'Conditions'), expected);
  const confirmation = getChild(getChild(assertion, 'assertion', 'Subject'), 'assertion', 'SubjectConfirmation');
  if (confirmation.attributes.get('Method') !== bearer)
    throw new Refusal('The method of the SubjectConfirmation is not bearer.');
  const data = getChild(confirmation, 'assertion', 'SubjectConfirmationData');
  if (data.attributes.get('Recipient') !== expected.service.acsURL) {
    throw new Refusal('The assertion is for another recipient.');
  }
  requireRequest(data, expected);
  requireTime(data);
  if (getChildren(assertion, 'assertion', 'AuthnStatement').length === 0) {
    throw new Refusal('The assertion contains no authentication statement.');
  }
}

function requireIssuer(element: XmlElement, { issuer }: ExpectedValues): void {
  if (getText(getChild(element, 'assertion', 'Issuer')).trim() !== issuer)
    throw new Refusal(`${element.name} has another issuer.`);
}

function requireRequest(element: XmlElement, { request }: ExpectedValues): void {
  if (element.attributes.get('InResponseTo') !== request) {
    throw new Refusal(`${element.name} does not belong to this sign-in request.`);
  }
}

function requireConditions(conditions: XmlElement, { service }: ExpectedValues): void {
  requireTime(conditions);
  const restrictions = getChildren(conditions, 'assertion', 'AudienceRestriction');
  const isForService = (restriction: XmlElement) =>
    getChildren(restriction, 'assertion', 'Audience').some((audience) => getText(audience).trim() === service.entityID);
  if (restrictions.length === 0 || !restrictions.every(isForService)) {
    throw new Refusal('The assertion is for another audience.');
  }
  const knownNames = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  if (conditions.children.some(({ name }) => !knownNames.includes(name))) {
    throw new Refusal('The assertion has an unsupported condition.');
  }
}

function requireTime({ name, attributes }: XmlElement): void {
  const now = Date.now();
  const [from, to] = [attributes.get('NotBefore'), attributes.get('NotOnOrAfter')];
  if (from !== undefined && getTime(from) > now + maxClockSkewMilliseconds)
    throw new Refusal(`${name} is not valid yet.`);
  if (to === undefined) throw new Refusal(`${name} has no expiration time.`);
  if (getTime(to) <= now - maxClockSkewMilliseconds) throw new Refusal(`${name} has expired.`);
}

function getTime(text: string): number {
  const time = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Refusal('The assertion contains an invalid timestamp.');
  return time;
}

/** Returns the end of the session at the provider in milliseconds, if the assertion states one. @throws Refusal */
function getSessionEnd(assertion: XmlElement): number | undefined {
  const ends = getChildren(assertion, 'assertion', 'AuthnStatement').flatMap(
    ({ attributes }) => attributes.get('SessionNotOnOrAfter') ?? [],
  );
  if (ends.length === 0) return undefined;
  const end = Math.min(...ends.map(getTime));
  if (end <= Date.now()) throw new Refusal('The session at the identity provider has expired.');
  return end;
}

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

/** Reads the profile from a verified assertion. @throws Refusal */
function getProfile(assertion: XmlElement): SignInProfile {
  const nameId = getChild(getChild(assertion, 'assertion', 'Subject'), 'assertion', 'NameID');
  const name = getText(nameId);
  const format = nameId.attributes.get('Format') ?? formats.unspecified;
  if (name === '' || name.length > maxSubjectLength || /\s/.test(format))
    throw new Refusal('The name ID is not valid.');
  if (format === formats.transient) {
    throw new Refusal('The identity provider must send a persistent name ID, not a transient one.');
  }
  const attributes = getAttributes(assertion);
  const getFirst = (names: string[]) => names.map((each) => attributes.get(each)).find((value) => value !== undefined);
  const both = [getFirst(givenNames), getFirst(surnames)].filter((part) => part !== undefined).join(' ');
  const displayName = (getFirst(nameNames) ?? both).replace(/\s+/g, ' ').trim();
  const addresses = [...(format === formats.email ? [name] : []), getFirst(emailNames)];
  return {
    subject: `${format} ${name}`,
    email: addresses.find((address) => EmailAddress.safeParse(address).success) ?? null,
    displayName: displayName.slice(0, maxDisplayNameLength).replace(/[\ud800-\udbff]$/, '') || null,
    sessionEndsAt: getSessionEnd(assertion) ?? null,
  };
}

/** Returns the first value of each attribute that has a value. */
function getAttributes(assertion: XmlElement): Map<string, string> {
  const all = getChildren(assertion, 'assertion', 'AttributeStatement').flatMap((statement) =>
    getChildren(statement, 'assertion', 'Attribute'),
  );
  const attributesByName = new Map<string, string>();
  for (const element of all) {
    const name = element.attributes.get('Name') ?? '';
    const [value] = getChildren(element, 'assertion', 'AttributeValue');
    const text = value === undefined || value.children.length > 0 ? '' : value.text.trim();
    if (text !== '' && !attributesByName.has(name)) attributesByName.set(name, text);
  }
  return attributesByName;
}
