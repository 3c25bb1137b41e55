import { X509Certificate } from 'node:crypto';
import type { IdentityProvider, Service } from './queries.ts';

const leastModulusBits = 2048;
const pemBlock = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----$/;
const bareBase64 = /^[A-Za-z0-9+/=\s]+$/;

/** A certificate as PEM, or the reason why it is invalid. */
type ReadCertificate = { pem: string } | { fault: string };

/** Reads one X.509 certificate, as PEM or base64, with an RSA key that can verify signatures. */
export function readCertificate(text: string): ReadCertificate {
  const trimmed = text.trim();
  if (/PRIVATE KEY/.test(trimmed)) return { fault: 'must not be a private key' };
  const body = pemBlock.exec(trimmed)?.[1] ?? bareBase64.exec(trimmed)?.[0];
  if (body === undefined) return { fault: 'must be one X.509 certificate, as PEM or base64' };
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  const fault = findKeyFault(pem);
  return fault === undefined ? { pem } : { fault };
}

function findKeyFault(pem: string): string | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(pem).publicKey;
    if (asymmetricKeyType !== 'rsa') return 'must contain an RSA key';
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits < leastModulusBits ? `must contain an RSA key of at least ${leastModulusBits} bits` : undefined;
  } catch {
    return 'must be a valid X.509 certificate';
  }
}

const maxClockSkewMilliseconds = 60_000;

/** The library is large, so the first sign-in loads it instead of every start of the worker. */
const loadLibrary = () => import('@node-saml/node-saml');

interface SamlParties {
  provider: IdentityProvider;
  service: Service;
}

async function createServiceProvider({ provider, service }: SamlParties, request: string, isResponseSigned = false) {
  const { SAML, ValidateInResponseTo } = await loadLibrary();
  const certificate = readCertificate(provider.certificate);
  if ('fault' in certificate) throw new Error(`The certificate ${certificate.fault}.`);
  return new SAML({
    issuer: service.entityID,
    audience: service.entityID,
    callbackUrl: service.acsURL,
    entryPoint: provider.ssoURL,
    idpCert: certificate.pem,
    idpIssuer: provider.entityID,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: isResponseSigned,
    acceptedClockSkewMs: maxClockSkewMilliseconds,
    // `saml_requests` already tracks pending requests, and outlives this object.
    validateInResponseTo: ValidateInResponseTo.never,
    generateUniqueId: () => request,
  });
}

/** Returns the URL of the identity provider that starts a sign-in. */
export async function createRequestUrl(party: SamlParties, request: string): Promise<string> {
  const saml = await createServiceProvider(party, request);
  return saml.getAuthorizeUrlAsync(request, undefined, {});
}

/** Verifies the signatures of a response and returns the XML of the signed assertion. @throws Error */
export async function verifySignedAssertion(
  party: SamlParties,
  { base64, request, isSigned }: { base64: string; request: string; isSigned: boolean },
): Promise<string> {
  const saml = await createServiceProvider(party, request, isSigned);
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 });
  const xml = profile?.getAssertionXml?.();
  if (xml === undefined) throw new Error('The response contains no signed assertion.');
  return xml;
}

export async function getMetadata(service: Service): Promise<string> {
  const { generateServiceProviderMetadata } = await loadLibrary();
  return generateServiceProviderMetadata({
    issuer: service.entityID,
    callbackUrl: service.acsURL,
    identifierFormat: null,
    wantAssertionsSigned: true,
  });
}
