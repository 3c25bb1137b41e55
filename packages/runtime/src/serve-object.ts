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
  const headers = fileHeaders(object, etag);
  if (isFresh(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const wanted = request.headers.get('range');
  const condition = request.headers.get('if-range');
  if (wanted !== null && (condition === null || condition === etag)) {
    const head = await bucket.head(key);
    if (head === null) return undefined;
    const range = readRange(wanted, head.size);
    if (range !== undefined) return servePart(bucket, key, { range, size: head.size, headers });
  }
  const whole = await bucket.get(key);
  if (whole === null) return undefined;
  headers.set('content-length', String(whole.size));
  return new Response(whole.body, { headers });
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
}

/** What a browser may show in place: it runs nothing. All else is saved, SVG and PDF too. */
const shownInPlace = /^(?:image\/(?:png|jpeg|gif|webp|avif|x-icon)|audio\/[\w.-]+|video\/[\w.-]+)$/;

/** Whatever a file holds, it runs no script, loads nothing and acts for no site. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox";

/** The headers under which a file is served; `etag` is its hash in quotes. */
function fileHeaders({ name, contentType, expires }: ServedFile, etag: string): Headers {
  const left = Math.max(0, expires - Math.ceil(Date.now() / 1000));
  return new Headers({
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'content-disposition': disposition(name, contentType),
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': `private, max-age=${left}, immutable`,
    'accept-ranges': 'bytes',
    etag,
  });
}

/** `Content-Disposition` with the name in both of its spellings (RFC 6266, RFC 8187). */
export function disposition(name: string, contentType: string): string {
  const safe = safeName(name);
  const plain = safe.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${shownInPlace.test(contentType) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A name that every system can save: none of a device, no path, no dot or space at the end. */
export function safeName(name: string): string {
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
