import { childOf, childrenOf, namespaces, Refusal, textOf } from './response-shape.ts';
import type { Service } from './service-urls.ts';
import type { XmlElement } from './xml.ts';

const maxClockSkewMilliseconds = 60_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Who and what an assertion, or its response, must name. */
export interface Expected {
  issuer: string;
  service: Service;
  request: string;
}

/** Checks the part of a response that is around its assertion. @throws Refusal */
export function requireResponse(response: XmlElement, expected: Expected): void {
  const destination = response.attributes.get('Destination');
  if (destination !== undefined && destination !== expected.service.acsURL) {
    throw new Refusal('The response has another destination.');
  }
  requireRequest(response, expected);
  if (childrenOf(response, 'assertion', 'Issuer').length > 0) requireIssuer(response, expected);
}

/** Checks whom an assertion is from and for, and when. @throws Refusal */
export function requireAssertion(assertion: XmlElement, expected: Expected): void {
  if (assertion.namespace !== namespaces.assertion || assertion.name !== 'Assertion') {
    throw new Refusal('What is signed is not an assertion.');
  }
  requireIssuer(assertion, expected);
  requireConditions(childOf(assertion, 'assertion', 'Conditions'), expected);
  const confirmation = childOf(childOf(assertion, 'assertion', 'Subject'), 'assertion', 'SubjectConfirmation');
  if (confirmation.attributes.get('Method') !== bearer)
    throw new Refusal('The subject is not confirmed as the bearer.');
  const data = childOf(confirmation, 'assertion', 'SubjectConfirmationData');
  if (data.attributes.get('Recipient') !== expected.service.acsURL) {
    throw new Refusal('The assertion has another recipient.');
  }
  requireRequest(data, expected);
  requireTime(data);
  if (childrenOf(assertion, 'assertion', 'AuthnStatement').length === 0) {
    throw new Refusal('The assertion does not say that anybody signed in.');
  }
}

function requireIssuer(element: XmlElement, { issuer }: Expected): void {
  if (textOf(childOf(element, 'assertion', 'Issuer')).trim() !== issuer)
    throw new Refusal(`${element.name} has another issuer.`);
}

function requireRequest(element: XmlElement, { request }: Expected): void {
  if (element.attributes.get('InResponseTo') !== request) {
    throw new Refusal(`${element.name} does not answer the request of this sign-in.`);
  }
}

function requireConditions(conditions: XmlElement, { service }: Expected): void {
  requireTime(conditions);
  const restrictions = childrenOf(conditions, 'assertion', 'AudienceRestriction');
  const includesUs = (restriction: XmlElement) =>
    childrenOf(restriction, 'assertion', 'Audience').some((audience) => textOf(audience).trim() === service.entityID);
  if (restrictions.length === 0 || !restrictions.every(includesUs)) {
    throw new Refusal('The assertion is for another audience.');
  }
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  if (conditions.children.some(({ name }) => !known.includes(name))) {
    throw new Refusal('The assertion has a condition that is not known here.');
  }
}

function requireTime({ name, attributes }: XmlElement): void {
  const now = Date.now();
  const [from, to] = [attributes.get('NotBefore'), attributes.get('NotOnOrAfter')];
  if (from !== undefined && timeOf(from) > now + maxClockSkewMilliseconds)
    throw new Refusal(`${name} is not valid yet.`);
  if (to === undefined) throw new Refusal(`${name} has no end.`);
  if (timeOf(to) <= now - maxClockSkewMilliseconds) throw new Refusal(`${name} has expired.`);
}

function timeOf(text: string): number {
  const time = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Refusal('The assertion holds a time that is none.');
  return time;
}

/** When the session at the provider ends, in milliseconds, where the assertion says so. */
export function sessionEndOf(assertion: XmlElement): number | undefined {
  const ends = childrenOf(assertion, 'assertion', 'AuthnStatement').flatMap(
    ({ attributes }) => attributes.get('SessionNotOnOrAfter') ?? [],
  );
  if (ends.length === 0) return undefined;
  const end = Math.min(...ends.map(timeOf));
  if (end <= Date.now()) throw new Refusal('The session at the identity provider has expired.');
  return end;
}
