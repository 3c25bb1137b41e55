import { forbidden, notFound } from '@octavo/schema';

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

/**
 * The path and query of an address that anybody may use until it expires. What is signed is its text: spelled in any other
 * way it is none of ours.
 */
export async function signAddress(key: CryptoKey, path: string, query: Record<string, string>): Promise<string> {
  const address = `${path}?${new URLSearchParams(query)}`;
  return `${address}${beforeSignature}${await signatureOf(key, address)}`;
}

const beforeSignature = '&signature=';

interface Kind {
  /** What the address gives, as an error names it. */
  of: string;
  /** How to come by another address. */
  renew: string;
}

/** The query of a signed address. @throws ApiError not_found where we did not sign it as it stands; forbidden once it expired */
export async function readSigned(request: Request, key: CryptoKey, { of, renew }: Kind): Promise<URLSearchParams> {
  const { pathname, search, searchParams } = new URL(request.url);
  const text = `${pathname}${search}`;
  const end = text.lastIndexOf(beforeSignature);
  const isOurs = end >= 0 && (await isSigned(key, text.slice(0, end), text.slice(end + beforeSignature.length)));
  if (!isOurs) throw notFound(of);
  if (Number(searchParams.get('expires')) * 1000 <= Date.now())
    throw forbidden(`This address of a ${of} has expired: ${renew} for a new one.`);
  return searchParams;
}

const encoder = new TextEncoder();

const signatureOf = async (key: CryptoKey, address: string): Promise<string> =>
  encode(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(address))));

/** Whether the signature is ours, found out in the same time whatever it holds. */
async function isSigned(key: CryptoKey, address: string, signature: string): Promise<boolean> {
  const bytes = decode(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, encoder.encode(address));
}

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The last of its characters holds two bits that mean nothing: they are those that `encode` gives. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return encode(bytes) === text ? bytes : undefined;
}

/** The name at the end of an address, or undefined where it is not well encoded. */
export function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
