import type { ContentEnvironment } from '../environment.ts';

/** What a signed address gives: an object of the bucket, under a name and with a type, until a moment. */
export interface SignedFile {
  /** `<organization>/<SHA-256>`. */
  blob: string;
  name: string;
  contentType: string;
  /** Seconds since 1970. */
  expires: number;
}

const lifetimeSeconds = 3600;
/** Addresses that are made within this time are equal, so that caches may use them; they live that much longer. */
const roundingSeconds = 300;

/** When an address that is made now ends: in an hour, or up to five minutes later. */
export function expiryFrom(milliseconds: number): number {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds - (seconds % roundingSeconds) + roundingSeconds + lifetimeSeconds;
}

/** The key that addresses are signed with, for one request. Without a secret nothing is signed. */
export async function signingKey({ OCTAVO_SECRET }: Pick<ContentEnvironment, 'OCTAVO_SECRET'>): Promise<CryptoKey> {
  if (typeof OCTAVO_SECRET !== 'string' || OCTAVO_SECRET.length < 16)
    throw new Error('OCTAVO_SECRET is not set, or shorter than 16 characters: no address of a file can be signed.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(OCTAVO_SECRET), algorithm, false, ['sign', 'verify']);
}

/** One text for each combination, and none that another use of the secret would sign. */
const signed = ({ blob, name, contentType, expires }: SignedFile): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(['file', blob, name, contentType, expires]));

/** The path and query of a signed address. */
export async function addressOf(key: CryptoKey, file: SignedFile): Promise<string> {
  const signature = encode(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed(file))));
  const query = new URLSearchParams({ type: file.contentType, expires: String(file.expires), signature });
  return `/files/${file.blob}/${encodeURIComponent(file.name)}?${query}`;
}

/** Whether the signature is ours, found out in the same time whatever it holds. */
export async function isSigned(key: CryptoKey, file: SignedFile, signature: string): Promise<boolean> {
  const bytes = decode(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed(file));
}

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function decode(text: string): Uint8Array | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}
