/** How a file is served: under a name and with a type, until a moment in seconds since 1970. */
export interface ServedFile {
  name: string;
  contentType: string;
  expires: number;
}

/** What a browser may show in place: it runs nothing. All else is saved, SVG and PDF too. */
const shownInPlace = /^(?:image\/(?:png|jpeg|gif|webp|avif|x-icon)|audio\/[\w.-]+|video\/[\w.-]+)$/;

/** Whatever a file holds, it runs no script, loads nothing and acts for no site. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox";

/** The headers under which a file is served; `etag` is its hash in quotes. */
export function fileHeaders({ name, contentType, expires }: ServedFile, etag: string): Headers {
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
