import { hexOf } from '@octavo/runtime';

const encoder = new TextEncoder();

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return hexOf(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}

/** The value of the signature header: of the time and the body, by each secret that is valid. */
export async function signatureOf(secrets: string[], body: string, now: number): Promise<string> {
  const time = Math.floor(now / 1000);
  const signatures = await Promise.all(secrets.map((secret) => hmac(secret, `${time}.${body}`)));
  return [`t=${time}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
