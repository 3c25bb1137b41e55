const lifetimeSeconds = 3600;
/** Addresses that are made within this time are equal, so that caches may use them; they live that much longer. */
const roundingSeconds = 300;

/** When an address that is made now ends, in seconds since 1970: in an hour, or up to five minutes later. */
export function expiryFrom(milliseconds: number): number {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds - (seconds % roundingSeconds) + roundingSeconds + lifetimeSeconds;
}

/** The key that addresses are signed with, for one request. Without a secret nothing is signed. */
export async function signingKey({ OCTAVO_SECRET }: { OCTAVO_SECRET: string }): Promise<CryptoKey> {
  if (typeof OCTAVO_SECRET !== 'string' || OCTAVO_SECRET.length < 16)
    throw new Error('OCTAVO_SECRET is not set, or shorter than 16 characters: no address can be signed.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(OCTAVO_SECRET), algorithm, false, ['sign', 'verify']);
}

/** What a signature is of. The purpose comes first: what one use of the secret signs fits no other. */
export type Signed = [purpose: 'file' | 'pdf', ...parts: (string | number)[]];

/** One text for each combination of parts. */
const bytesOf = (signed: Signed): Uint8Array => new TextEncoder().encode(JSON.stringify(signed));

/** A signature as it stands in an address. */
export async function signatureOf(key: CryptoKey, signed: Signed): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(signed)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Whether the signature is ours, found out in the same time whatever it holds. */
export async function isSigned(key: CryptoKey, signed: Signed, signature: string): Promise<boolean> {
  const bytes = decode(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, bytesOf(signed));
}

function decode(text: string): Uint8Array | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

/** The name at the end of an address, or undefined where it is not well encoded. */
export function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
