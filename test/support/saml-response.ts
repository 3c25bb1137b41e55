import { randomUUID } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import type { Identity } from './certificate.ts';

/** The contents of an identity provider's response. A null field is omitted. */
export interface Says {
  issuer: string;
  audience: string | null;
  recipient: string | null;
  destination: string | null;
  request: string | null;
  /** The request id in the assertion's subject confirmation. */
  confirmed: string | null;
  subject: string;
  format: string | null;
  attributes: Record<string, string>;
  from: number;
  to: number | null;
  /** Expiry of the subject confirmation. */
  confirmedTo: number | null;
  sessionEnd: number | null;
  status: string;
}

export const formats = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
};

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const minute = 60_000;

export const formatTime = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Returns the response contents of an honest provider for a new user. */
export const createHonestResponse = (
  service: { acsURL: string; entityID: string },
  { issuer, request, ...more }: { issuer: string; request: string } & Partial<Omit<Says, 'issuer' | 'request'>>,
): Says => {
  const name = randomUUID();
  return {
    issuer,
    audience: service.entityID,
    recipient: service.acsURL,
    destination: service.acsURL,
    request,
    confirmed: request,
    subject: name,
    format: formats.persistent,
    attributes: { email: `sso-${name}@example.test`, displayName: 'Ada Lovelace' },
    from: Date.now() - minute,
    to: Date.now() + 5 * minute,
    confirmedTo: Date.now() + 5 * minute,
    sessionEnd: null,
    status: success,
    ...more,
  };
};

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
const formatAttribute = (name: string, value: string | null) =>
  value === null ? '' : ` ${name}="${escapeXml(value)}"`;
const formatDate = (value: number | null) => (value === null ? null : formatTime(value));

/** Builds an unsigned assertion. */
export function getAssertion(says: Says, id = `_${randomUUID()}`): string {
  const values = Object.entries(says.attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue></saml:Attribute>`,
  );
  const audience =
    says.audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${says.audience}</saml:Audience></saml:AudienceRestriction>`;
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${formatTime(Date.now())}">`,
    `<saml:Issuer>${escapeXml(says.issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID${formatAttribute('Format', says.format)}>${escapeXml(says.subject)}</saml:NameID>`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml:SubjectConfirmationData${formatAttribute('NotOnOrAfter', formatDate(says.confirmedTo))}${formatAttribute('Recipient', says.recipient)}${formatAttribute('InResponseTo', says.confirmed)}/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions${formatAttribute('NotBefore', formatTime(says.from))}${formatAttribute('NotOnOrAfter', formatDate(says.to))}>${audience}</saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${formatTime(Date.now())}"${formatAttribute('SessionNotOnOrAfter', formatDate(says.sessionEnd))}>`,
    '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext>',
    '</saml:AuthnStatement>',
    `<saml:AttributeStatement>${values.join('')}</saml:AttributeStatement>`,
    '</saml:Assertion>',
  ].join('');
}

/** Builds an unsigned response around any content. */
export const getResponse = (says: Says, content: string, id = `_${randomUUID()}`): string =>
  [
    '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
    ` ID="${id}" Version="2.0" IssueInstant="${formatTime(Date.now())}"`,
    `${formatAttribute('Destination', says.destination)}${formatAttribute('InResponseTo', says.request)}>`,
    `<saml:Issuer>${escapeXml(says.issuer)}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${says.status}"/></samlp:Status>`,
    content,
    '</samlp:Response>',
  ].join('');

export interface Signing {
  method?: string;
  digest?: string;
  transforms?: string[];
}

const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const hmacSha1 = `${dsig}hmac-sha1`;

export const getId = (xml: string): string => / ID="([^"]+)"/.exec(xml)?.[1] ?? '';

/** Signs the root element of a document. Like an identity provider, it places the signature after the issuer. */
export function signXml(xml: string, { privateKey }: Pick<Identity, 'privateKey'>, signing: Signing = {}): string {
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: signing.method ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: exclusive,
  });
  if (signing.method === hmacSha1) signer.enableHMAC();
  const xpath = `//*[@ID="${getId(xml)}"]`;
  signer.addReference({
    xpath,
    digestAlgorithm: signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: signing.transforms ?? [`${dsig}enveloped-signature`, exclusive],
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `${xpath}/*[local-name()="Issuer"]`, action: 'after' },
  });
  return signer.getSignedXml();
}

/** Builds a response with a signed assertion. */
export const createResponse = (says: Says, identity: Pick<Identity, 'privateKey'>, signing?: Signing): string =>
  getResponse(says, signXml(getAssertion(says), identity, signing));
