import type { XmlElement } from './xml.ts';

/** The reason for refusing a sign-in, written for the admin who configures the provider. */
export class Refusal extends Error {
  override name = 'Refusal';
}

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;

const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const transforms = [`${namespaces.signature}enveloped-signature`, exclusiveC14n];
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];

export const getChildren = (element: XmlElement, namespace: keyof typeof namespaces, name: string): XmlElement[] =>
  element.children.filter((child) => child.namespace === namespaces[namespace] && child.name === name);

/** Returns the child with a name, which must be the only one. @throws Refusal */
export function getChild(element: XmlElement, namespace: keyof typeof namespaces, name: string): XmlElement {
  const [child, ...others] = getChildren(element, namespace, name);
  if (child === undefined || others.length > 0) throw new Refusal(`${element.name} must contain exactly one ${name}.`);
  return child;
}

/** Returns the text of an element without children. @throws Refusal */
export function getText(element: XmlElement): string {
  if (element.children.length > 0) throw new Refusal(`${element.name} must contain only text.`);
  return element.text;
}

function* walkElements(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* walkElements(child);
}

/**
 * Checks that the response has the usual shape of a browser sign-in, because other shapes can allow signature wrapping.
 * @throws Refusal
 */
export function requireShape(response: XmlElement): { isSigned: boolean } {
  if (response.namespace !== namespaces.protocol || response.name !== 'Response') {
    throw new Refusal('The document is not a SAML response.');
  }
  const all = [...walkElements(response)];
  if (all.some(({ name }) => name.startsWith('Encrypted')))
    throw new Refusal('Encrypted assertions are not supported.');
  requireStatus(response);
  const assertion = getChild(response, 'assertion', 'Assertion');
  const findShapes = (name: string) => all.filter((element) => element.name === name);
  if (findShapes('Assertion').length > 1 || findShapes('Response').length > 1) {
    throw new Refusal('The response must contain exactly one assertion.');
  }
  requireUniqueIds(all);
  const ofResponse = getChildren(response, 'signature', 'Signature');
  const ofAssertion = getChildren(assertion, 'signature', 'Signature');
  if (ofAssertion.length === 0) throw new Refusal('The assertion is not signed.');
  if (findShapes('Signature').length > ofResponse.length + ofAssertion.length || ofResponse.length > 1) {
    throw new Refusal('The response contains a signature at an unexpected position.');
  }
  for (const signature of ofResponse) requireSignature(signature, response);
  for (const signature of ofAssertion) requireSignature(signature, assertion);
  return { isSigned: ofResponse.length > 0 };
}

function requireStatus(response: XmlElement): void {
  const status = getChild(getChild(response, 'protocol', 'Status'), 'protocol', 'StatusCode');
  const code = status.attributes.get('Value') ?? '';
  if (code !== 'urn:oasis:names:tc:SAML:2.0:status:Success') {
    throw new Refusal(`The identity provider returned the status ${code.replace(/^.*:/, '').slice(0, 100)}.`);
  }
}

/** Libraries accept any spelling of the attribute `ID`, so all such attributes must have different values. */
function requireUniqueIds(elements: XmlElement[]): void {
  const ids = elements.flatMap(({ attributes }) =>
    [...attributes].flatMap(([name, value]) => (/(?:^|:)id$/i.test(name) ? [value] : [])),
  );
  if (new Set(ids).size < ids.length) throw new Refusal('The response contains a duplicate ID.');
}

function requireSignature(signature: XmlElement, signed: XmlElement): void {
  const allowedNames = ['SignedInfo', 'SignatureValue', 'KeyInfo'];
  if (signature.children.some(({ name }) => !allowedNames.includes(name))) {
    throw new Refusal('The signature contains unexpected elements.');
  }
  const info = getChild(signature, 'signature', 'SignedInfo');
  const reference = getChild(info, 'signature', 'Reference');
  const id = signed.attributes.get('ID') ?? '';
  if (id === '' || reference.attributes.get('URI') !== `#${id}`) {
    throw new Refusal('The signature does not refer to its parent element.');
  }
  const used = getChild(reference, 'signature', 'Transforms').children.map(
    (element) => element.attributes.get('Algorithm') ?? '',
  );
  requireAlgorithm(info, 'CanonicalizationMethod', [exclusiveC14n]);
  requireAlgorithm(info, 'SignatureMethod', signatureMethods);
  requireAlgorithm(reference, 'DigestMethod', digestMethods);
  if (used.length !== transforms.length || used.some((each, index) => each !== transforms[index])) {
    throw new Refusal('The signature may only use the transforms enveloped signature and exclusive C14N.');
  }
}

function requireAlgorithm(element: XmlElement, name: string, algorithms: string[]): void {
  const algorithm = getChild(element, 'signature', name).attributes.get('Algorithm') ?? '';
  if (!algorithms.includes(algorithm)) throw new Refusal(`The ${name} of the signature is not supported.`);
}
