import { buildContentPolicy, forbidden, notFound } from '@octavo/schema';

interface ServedObject extends ServedFile {
  /** The key in the bucket. */
  key: string;
  /** The ETag in double quotes. */
  etag: string;
}

/**
 * Returns a response with an object of a bucket, or with the requested range of the object. Returns undefined if the
 * object does not exist.
 */
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
  const storedObject = await bucket.get(key);
  if (storedObject === null) return undefined;
  headers.set('content-length', String(storedObject.size));
  return new Response(storedObject.body, { headers });
}

/** Whether `If-None-Match`, which is a list of ETags or `*`, matches an ETag in a weak comparison. */
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

/** A file with its name and type. `expires` is in seconds since 1970. */
interface ServedFile {
  name: string;
  contentType: string;
  expires: number;
  /** Whether all users may read the object, so that shared caches may store it. */
  isOpen?: boolean;
}

/**
 * Types that browsers may display inline, because they cannot run scripts. All other types are downloaded, including
 * SVG and PDF.
 */
const inlineTypes = /^(?:image\/(?:png|jpeg|gif|webp|avif|x-icon)|audio\/[\w.-]+|video\/[\w.-]+)$/;

/**
 * The content security policy of a file: whatever the file contains, it runs no scripts, loads nothing and has no
 * access to a site.
 */
const contentSecurityPolicy = buildContentPolicy({
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'img-src': ['data:'],
  'media-src': ["'self'"],
  sandbox: [],
});

/** Returns the response headers of a file; `etag` is its hash in double quotes. */
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

/** Returns `Content-Disposition` with both forms of the name (RFC 6266, RFC 8187). */
export function getDisposition(name: string, contentType: string): string {
  const safe = toSafeName(name);
  const plain = safe.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inlineTypes.test(contentType) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Returns a name that every system can save: not a device name, no path, and no dot or space at the end. */
export function toSafeName(name: string): string {
  const flat = name
    .toWellFormed()
    .replace(/[\p{Cc}/\\:]/gu, '_')
    .replace(/[. ]+$/, '');
  return flat === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(flat) ? `_${flat}` : flat;
}

/** A range of a file, in bytes. */
interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Parses a `Range` header for a file of `size` bytes. Returns undefined if the whole file should be served: for several
 * ranges, another unit, or a malformed header. Returns null if the range is not satisfiable (RFC 9110, section 14.2).
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
/**
 * URLs that are signed within the same period of this length are equal, so that caches can use them. This delays their
 * expiry by up to the same time.
 */
const roundingSeconds = 300;

/**
 * Returns the expiry time of a URL that is signed now, in seconds since 1970: in one hour, or up to five minutes later.
 */
export function getExpiry(milliseconds: number): number {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds - (seconds % roundingSeconds) + roundingSeconds + lifetimeSeconds;
}

/** Imports the signing key of a request. Without a secret nothing can be signed. */
export async function importSigningKey({ OCTAVO_SECRET }: { OCTAVO_SECRET: string }): Promise<CryptoKey> {
  if (typeof OCTAVO_SECRET !== 'string' || OCTAVO_SECRET.length < 16)
    throw new Error('OCTAVO_SECRET must be set to at least 16 characters to sign URLs.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(OCTAVO_SECRET), algorithm, false, ['sign', 'verify']);
}

/**
 * Returns the path and query of a URL that everyone can use until it expires. The signature covers the exact text, so
 * any other spelling is invalid.
 */
export async function signUrl(key: CryptoKey, path: string, query: Record<string, string>): Promise<string> {
  const address = `${path}?${new URLSearchParams(query)}`;
  return `${address}${signatureParameter}${await sign(key, address)}`;
}

const signatureParameter = '&signature=';

interface UrlKind {
  /** The name of the object in error messages. */
  objectName: string;
  /** Instructions for getting a new URL, for error messages. */
  renew: string;
}

/**
 * Returns the query of a signed URL. A URL without `expires` never expires. @throws ApiError not_found if the signature
 * is invalid; forbidden after the URL has expired
 */
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

/** Whether the signature is valid, compared in constant time. */
async function isSigned(key: CryptoKey, address: string, signature: string): Promise<boolean> {
  const bytes = decode(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, encoder.encode(address));
}

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Decodes a signature. Its last character has two unused bits, which must be as `encode` writes them. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return encode(bytes) === text ? bytes : undefined;
}

/** Returns the decoded file name at the end of a URL, or undefined if its encoding is malformed. */
export function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
