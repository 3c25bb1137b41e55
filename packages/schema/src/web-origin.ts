/**
 * Matches URLs without characters that are never valid in URLs. `URL` removes or encodes some of them, so another
 * parser could read the stored text as another URL.
 */
export const neverInAddresses = /^[^\p{Cc}\s"<>`\\]*$/u;

/** A host name as `URL` serializes it, or an IPv6 address. Other characters would be syntax in a policy or a header. */
export const hostName = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

/** A scheme, a host and a port, serialized by `URL`. */
export type WebOrigin = `${'http' | 'https'}://${string}` & { readonly isChecked: true };

/** Returns the origin of a URL for HTTP; undefined if `webAddress` would refuse its characters or its host. */
export function toWebOrigin(address: string): WebOrigin | undefined {
  const url = neverInAddresses.test(address) ? URL.parse(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || !hostName.test(url.hostname)) return undefined;
  return url.origin as WebOrigin;
}
