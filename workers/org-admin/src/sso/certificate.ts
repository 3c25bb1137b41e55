import { X509Certificate } from 'node:crypto';

const leastModulusBits = 2048;
const pemBlock = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----$/;
const bareBase64 = /^[A-Za-z0-9+/=\s]+$/;

/** A certificate as PEM, or what is wrong with it. */
export type ReadCertificate = { pem: string } | { fault: string };

/** Reads one X.509 certificate, as PEM or as bare base64, whose key we can verify signatures with. */
export function readCertificate(given: string): ReadCertificate {
  const trimmed = given.trim();
  if (/PRIVATE KEY/.test(trimmed)) return { fault: 'is a private key: it must stay with the identity provider' };
  const body = pemBlock.exec(trimmed)?.[1] ?? bareBase64.exec(trimmed)?.[0];
  if (body === undefined) return { fault: 'must be one X.509 certificate, as PEM or as base64' };
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  const fault = faultOfKey(pem);
  return fault === undefined ? { pem } : { fault };
}

function faultOfKey(pem: string): string | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(pem).publicKey;
    if (asymmetricKeyType !== 'rsa') return 'must hold an RSA key';
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits < leastModulusBits ? `must hold an RSA key of at least ${leastModulusBits} bits` : undefined;
  } catch {
    return 'is not a valid X.509 certificate';
  }
}
