import { describe } from '@octavo/runtime';
import type { SignInProfile } from '@octavo/schema';
import type { Expected } from './assertion.ts';
import { requireAssertion, requireResponse } from './assertion.ts';
import { profileOf } from './profile.ts';
import type { ProviderRecord } from './provider-record.ts';
import { childOf, Refusal, requireShape } from './response-shape.ts';
import { signedAssertion } from './saml-library.ts';
import { parseXml, XmlFault } from './xml.ts';

/**
 * Who signed in, from a response that the provider's certificate vouches for. What it says is checked first, after a
 * strict parser of ours; then the library verifies the signature; and all is checked and read once more from what it
 * gives back as signed, for only that is believed. @throws Refusal, XmlFault
 */
export async function verifyResponse(
  base64: string,
  provider: ProviderRecord,
  expected: Expected,
): Promise<SignInProfile> {
  const response = parseXml(textOf(base64));
  const { isSigned } = requireShape(response);
  requireResponse(response, expected);
  requireAssertion(childOf(response, 'assertion', 'Assertion'), expected);
  const { request, service } = expected;
  const signed = await signedAssertion({ provider, service }, { base64, request, isSigned }).catch((error: unknown) => {
    throw new Refusal("The response is not validly signed with the provider's certificate.", {
      cause: describe(error),
    });
  });
  const assertion = parseXml(signed);
  requireAssertion(assertion, expected);
  return profileOf(assertion);
}

function textOf(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new XmlFault('is not UTF-8 in base64');
  }
}
