import { readCertificate } from './certificate.ts';
import type { ProviderRecord } from './provider-record.ts';
import type { Service } from './service-urls.ts';

const maxClockSkewMilliseconds = 60_000;

/** Large, so it is loaded by the first sign-in and not by every start of the worker. */
const library = () => import('@node-saml/node-saml');

interface Party {
  provider: ProviderRecord;
  service: Service;
}

async function serviceProvider({ provider, service }: Party, request: string, isResponseSigned = false) {
  const { SAML, ValidateInResponseTo } = await library();
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
    // The request is checked against our own rows, which outlive this object.
    validateInResponseTo: ValidateInResponseTo.never,
    generateUniqueId: () => request,
  });
}

/** Where the browser takes a request for sign-in to. */
export async function requestUrl(party: Party, request: string): Promise<string> {
  const saml = await serviceProvider(party, request);
  return saml.getAuthorizeUrlAsync(request, undefined, {});
}

/** Verifies the signatures of a response, and gives the XML of the assertion as it was signed. @throws Error */
export async function signedAssertion(
  party: Party,
  { base64, request, isSigned }: { base64: string; request: string; isSigned: boolean },
): Promise<string> {
  const saml = await serviceProvider(party, request, isSigned);
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 });
  const xml = profile?.getAssertionXml?.();
  if (xml === undefined) throw new Error('The response holds no signed assertion.');
  return xml;
}

export async function metadataOf(service: Service): Promise<string> {
  const { generateServiceProviderMetadata } = await library();
  return generateServiceProviderMetadata({
    issuer: service.entityID,
    callbackUrl: service.acsURL,
    identifierFormat: null,
    wantAssertionsSigned: true,
  });
}
