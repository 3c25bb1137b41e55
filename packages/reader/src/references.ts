/**
 * Where something leads: a place in the site (`guides/install#first`, '' for its root), as it stands after the address of
 * the site, percent-encoded; or a whole address (`https://…`, `mailto:…`); or a place in the same page (`#first`).
 * Places in the site are drawn relative to the page, so that a page is the same wherever its site is mounted.
 */
export type ShownAddress = string;

/** What a reference leads to for the visitor. */
export interface Resolved {
  to: ShownAddress;
  title?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** Where it is a file. */
  file?: {
    name: string;
    contentType: string;
    /** Bytes. */
    size: number;
    /** Pixels of an image. */
    dimensions?: { width: number; height: number } | undefined;
  };
}

/** Undefined for what the visitor is not shown, or what there is not. */
export type ResolveReference = (reference: unknown) => Resolved | undefined;

const safe = /^(?:https?:|mailto:|tel:|#|\/|[^:]*$)/i;

/**
 * An address as it may stand in a page: of the web, mail, a telephone, or relative; undefined for all others. Browsers drop
 * control characters and white space around an address, which could hide a scheme.
 */
export function safeAddress(address: string | undefined): string | undefined {
  const plain = address?.replace(/[\p{Cc}\s]+/gu, (found) => (/^[\p{Cc}]*$/u.test(found) ? '' : '%20')).trim();
  return plain !== undefined && plain !== '' && safe.test(plain) ? plain : undefined;
}

/** An address as it is read where nothing else names it. */
export function shortAddress(address: ShownAddress): string {
  const { host, pathname, search } = URL.parse(address) ?? {};
  return host === undefined || host === '' ? address : `${host}${pathname}${search}`.replace(/\/$/, '');
}
