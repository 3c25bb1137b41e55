import { forbidden, notFound } from '@octavo/schema';

interface ServedObject extends ServedFile {
  /** Of the bucket. */
  key: string;
  /** In quotes. */
  etag: string;
}

/** Answers with an object of a bucket, or with the part of it that is asked for; undefined where there is none. */
export async function serveObject(
  request: Request,
  bucket: R2Bucket,
  object: ServedObject,
): Promise<Response | undefined> {
  const { key, etag } = object;
  const headers = createFileHeaders(object, etag);
  if (isFresh(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const rangeHeader = request.headers.get('range');
  const condition = request.headers.get('if-range');
  if (rangeHeader !== null && (condition === null || condition === etag)) {
    const head = await bucket.head(key);
    if (head === null) return undefined;
    const range = readRange(rangeHeader, head.size);
    if (range !== undefined) return servePart(bucket, key, { range, size: head.size, headers });
  }
  const stored = await bucket.get(key);
  if (stored === null) return undefined;
  headers.set('content-length', String(stored.size));
  return new Response(stored.body, { headers });
}

/** `If-None-Match` compares weakly: a list of tags, or a star. */
const isFresh = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

interface Part {
  range: Exclude<ReturnType<typeof readRange>, undefined>;
  size: number;
  headers: Headers;
}

async function servePart(bucket: R2Bucket, key: string, { range, size, headers }: Part): Promise<Response | undefined> {
  if (range === null) {
    headers.set('content-range', `bytes */${size}`);
    headers.set('cache-control', 'no-store');
    return new Response(null, { status: 416, headers });
  }
  const object = await bucket.get(key, { range });
  if (object === null) return undefined;
  headers.set('content-range', `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`);
  headers.set('content-length', String(range.length));
  return new Response(object.body, { status: 206, headers });
}

/** How a file is served: under a name and with a type, until a moment in seconds since 1970. */
interface ServedFile {
  name: string;
  contentType: string;
  expires: number;
  /** Whether anybody may have it, so that caches that many share may keep it. */
  isOpen?: boolean;
}

/** What a browser may show in place: it runs nothing. All else is saved, SVG and PDF too. */
const inlineTypes = /^(?:image\/(?:png|jpeg|gif|webp|avif|x-icon)|audio\/[\w.-]+|video\/[\w.-]+)$/;

/** Whatever a file holds, it runs no script, loads nothing and acts for no site. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox";

/** The headers under which a file is served; `etag` is its hash in quotes. */
function createFileHeaders({ name, contentType, expires, isOpen = false }: ServedFile, etag: string): Headers {
  const maxAge = Math.max(0, expires - Math.ceil(Date.now() / 1000));
  return new Headers({
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'content-disposition': getDisposition(name, contentType),
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': `${isOpen ? 'public' : 'private'}, max-age=${maxAge}${isOpen ? '' : ', immutable'}`,
    'accept-ranges': 'bytes',
    etag,
  });
}

/** `Content-Disposition` with the name in both of its spellings (RFC 6266, RFC 8187). */
export function getDisposition(name: string, contentType: string): string {
  const safe = toSafeName(name);
  const plain = safe.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inlineTypes.test(contentType) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A name that every system can save: none of a device, no path, no dot or space at the end. */
export function toSafeName(name: string): string {
  const flat = name
    .toWellFormed()
    .replace(/[\p{Cc}/\\:]/gu, '_')
    .replace(/[. ]+$/, '');
  return flat === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(flat) ? `_${flat}` : flat;
}

/** A part of a file, in bytes. */
interface ByteRange {
  offset: number;
  length: number;
}

/**
 * What a `Range` header asks of `size` bytes: undefined for all of them, where it is none that is served (several ranges,
 * another unit, a broken one), null where there are no such bytes (RFC 9110, section 14.2).
 */
export function readRange(header: string, size: number): ByteRange | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { offset: size - length, length };
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { offset: start, length: end - start + 1 };
}

const lifetimeSeconds = 3600;
/** Addresses that are made within this time are equal, so that caches may use them; they live that much longer. */
const roundingSeconds = 300;

/** When an address that is made now ends, in seconds since 1970: in an hour, or up to five minutes later. */
export function getExpiry(milliseconds: number): number {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds - (seconds % roundingSeconds) + roundingSeconds + lifetimeSeconds;
}

/** The key that addresses are signed with, for one request. Without a secret nothing is signed. */
export async function importSigningKey({ OCTAVO_SECRET }: { OCTAVO_SECRET: string }): Promise<CryptoKey> {
  if (typeof OCTAVO_SECRET !== 'string' || OCTAVO_SECRET.length < 16)
    throw new Error('OCTAVO_SECRET must be set to at least 16 characters to sign URLs.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(OCTAVO_SECRET), algorithm, false, ['sign', 'verify']);
}

/**
 * The path and query of an address that anybody may use until it expires. What is signed is its text: spelled in any other
 * way it is none of ours.
 */
export async function signUrl(key: CryptoKey, path: string, query: Record<string, string>): Promise<string> {
  const address = `${path}?${new URLSearchParams(query)}`;
  return `${address}${signatureParameter}${await sign(key, address)}`;
}

const signatureParameter = '&signature=';

interface UrlKind {
  /** What the address gives, as an error names it. */
  objectName: string;
  /** How to come by another address. */
  renew: string;
}

/** The query of a signed address; one without `expires` stays. @throws ApiError not_found where we did not sign it as it stands; forbidden once it expired */
export async function readSignedUrl(
  request: Request,
  key: CryptoKey,
  { objectName, renew }: UrlKind,
): Promise<URLSearchParams> {
  const { pathname, search, searchParams } = new URL(request.url);
  const text = `${pathname}${search}`;
  const end = text.lastIndexOf(signatureParameter);
  const isOurs = end >= 0 && (await isSigned(key, text.slice(0, end), text.slice(end + signatureParameter.length)));
  if (!isOurs) throw notFound(objectName);
  const expires = searchParams.get('expires');
  if (expires !== null && Number(expires) * 1000 <= Date.now())
    throw forbidden(`This URL of a ${objectName} has expired: ${renew} for a new one.`);
  return searchParams;
}

const encoder = new TextEncoder();

const sign = async (key: CryptoKey, address: string): Promise<string> =>
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
