import * as z from 'zod';

/**
 * Matches URLs without characters that are never valid in URLs. `URL` removes or encodes some of them, so another
 * parser could read the stored text as another URL.
 */
const neverInAddresses = /^[^\p{Cc}\s"<>`\\]*$/u;

/** A host name as `URL` serializes it, or an IPv6 address. Other characters would be syntax in a policy or a header. */
const hostName = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

/** A stored URL that readers follow or load. */
export const webAddress = z
  .string()
  .max(2048)
  .regex(neverInAddresses, {
    error: 'must not contain spaces, line breaks, quotes, angle brackets or backslashes: URL-encode them',
    abort: true,
  })
  .check(z.url({ protocol: /^https?$/, hostname: hostName }));

/** Matches texts without line breaks and other control characters, which `URL` removes. */
const noControls = /^\P{Cc}*$/u;

/** Returns the schema of a URL that the server fetches or looks up. */
export const httpUrl = ({ max = 2048, protocol = /^https?$/ } = {}) =>
  z
    .string()
    .max(max)
    .regex(noControls, 'must not contain line breaks or other control characters')
    .check(z.url({ protocol }));

/** The media type of a file. It is sent in a header. */
export const MediaType = z
  .string()
  .max(256)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

/** A scheme, a host and a port, serialized by `URL`. */
export type WebOrigin = `${'http' | 'https'}://${string}` & { readonly isChecked: true };

/** Returns the origin of a URL for HTTP; undefined if `webAddress` would refuse its characters or its host. */
export function toWebOrigin(address: string): WebOrigin | undefined {
  const url = neverInAddresses.test(address) ? URL.parse(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || !hostName.test(url.hostname)) return undefined;
  return url.origin as WebOrigin;
}
