import type { OrganizationId, SiteCandidate } from '@octavo/schema';

/** The settings that addresses of sites follow from. */
export interface SiteAddressSettings {
  OCTAVO_PUBLIC_URL: string;
  /** Where the sites of an organization are, with `{organization}` for its hostname. */
  OCTAVO_SITES_URL?: string;
}

const organizationPlace = '{organization}';

/** Where the sites of organizations are, without a slash at the end. */
const templateOf = ({ OCTAVO_SITES_URL: template, OCTAVO_PUBLIC_URL: base }: SiteAddressSettings): string =>
  (template || `${base.replace(/\/$/, '')}/-/${organizationPlace}`).replace(/\/$/, '');

/** What the address of a site follows from. */
export interface AddressedSite {
  organization: OrganizationId;
  organizationHostname: string | null;
  basename: string;
  hostname: string | null;
  proxy: string | null;
}

/** The site's address at its organization's, without a slash at the end. */
export const ownSiteAddress = (env: SiteAddressSettings, site: AddressedSite): string =>
  `${templateOf(env).replace(organizationPlace, site.organizationHostname ?? site.organization)}/${encodeURIComponent(site.basename)}`;

/** The address of a site, without a slash at the end: its own host, what passes it on, or its organization's. */
export function siteAddress(env: SiteAddressSettings, site: AddressedSite): string {
  if (site.hostname !== null) return `https://${site.hostname}`;
  return site.proxy === null ? ownSiteAddress(env, site) : `https://${site.proxy}`;
}

/** A place in a site: what is the default of its level adds nothing to an address, nor does what is left out. */
export interface SitePlace {
  shareKey?: string | undefined;
  section?: { path: string; isDefault: boolean } | undefined;
  siteSpace?: { path: string; isDefault: boolean } | undefined;
  /** The path of a page in its space; segments between slashes, not encoded. */
  page?: string | undefined;
}

/** The address of a place in a site whose own address is `base`. That of the site itself ends with a slash. */
export function placeAddress(base: string, { shareKey, section, siteSpace, page = '' }: SitePlace): string {
  const segments = [
    shareKey,
    section?.isDefault ? undefined : section?.path,
    siteSpace?.isDefault ? undefined : siteSpace?.path,
    ...page.split('/'),
  ].filter((segment): segment is string => segment !== undefined && segment !== '');
  return [base, ...segments.map(encodeURIComponent)].join('/') + (segments.length === 0 ? '/' : '');
}

/** The segments of a path, decoded; undefined where one is not well encoded. */
function segmentsOf(pathname: string): string[] | undefined {
  try {
    return pathname.split('/').flatMap((segment) => (segment === '' ? [] : [decodeURIComponent(segment)]));
  } catch {
    return undefined;
  }
}

const maxProxySegments = 8;

/** The sites that an address may be of, by all the forms that addresses of sites have, and the segments of its path. */
export function readSiteAddress(
  env: SiteAddressSettings,
  address: string,
): { candidates: SiteCandidate[]; segments: string[]; url: URL } | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const segments = segmentsOf(url.pathname);
  if (segments === undefined) return undefined;
  const proxies = segments.slice(0, maxProxySegments).map((_, index): SiteCandidate => {
    const depth = index + 1;
    return { by: 'proxy', proxy: [url.hostname, ...segments.slice(0, depth)].join('/'), depth };
  });
  const own = byOrganization(templateOf(env), url, segments);
  const hostname = { by: 'hostname', hostname: url.hostname, depth: 0 } as const;
  return { candidates: [...(own === undefined ? [] : [own]), hostname, ...proxies], segments, url };
}

const organizationName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The host of the template in lower case, as in addresses that were read, and its path. */
function partsOf(template: string): [host: string, path: string] {
  const [, host = '', path = ''] = /^https?:\/\/([^/]+)(.*)$/.exec(template) ?? [];
  return [host.toLowerCase(), path];
}

/** Whether a host name is the server's: of its public address, or of where the sites of organizations are. */
export function isOwnHost(env: SiteAddressSettings, hostname: string): boolean {
  const [host] = partsOf(templateOf(env));
  const [isOfSites] = matchPlace(host.replace(/:\d+$/, ''), hostname);
  return isOfSites || URL.parse(env.OCTAVO_PUBLIC_URL)?.hostname === hostname;
}

const schemeOf = (env: SiteAddressSettings): string => /^https?:/.exec(templateOf(env))?.[0] ?? 'https:';

/** Whether it is an address, or a name of the machine itself. */
const isOfMachine = (hostname: string): boolean => /^\[|(?:^|\.)(?:localhost|\d+)\.?$/.test(hostname);

/** A name that a site may have for its own, or that of a proxy before one. */
const mayBeOfSite = (hostname: string): boolean => /^[^.]+(?:\.[^.]+)+\.?$/.test(hostname) && !isOfMachine(hostname);

/**
 * Whether a host is one of sites alone, where nothing else of the server answers: that of an organization, or, where the
 * server has a name itself, any other that a site may have for its own.
 */
export function isOfSites(env: SiteAddressSettings, hostname: string): boolean {
  const server = URL.parse(env.OCTAVO_PUBLIC_URL)?.hostname ?? '';
  if (server === hostname) return false;
  return isOwnHost(env, hostname) || (!isOfMachine(server) && mayBeOfSite(hostname));
}

/**
 * An address of a site as it is known: at the server's own host by its public name, whatever name of this machine it was
 * opened by, and with the scheme that sites are reached by, whatever stands before the server.
 */
export function knownSiteAddress(env: SiteAddressSettings, { hostname, pathname, search, host }: URL): URL {
  const origin = isOfSites(env, hostname) ? `${schemeOf(env)}//${host}` : env.OCTAVO_PUBLIC_URL;
  const known = new URL(origin);
  known.pathname = pathname;
  known.search = search;
  return known;
}

/** The scheme does not count: what stands before the server may have changed it. */
function byOrganization(template: string, url: URL, segments: string[]): SiteCandidate | undefined {
  const [host, path] = partsOf(template);
  const above = path.split('/').filter((segment) => segment !== '');
  const [inHost, organizationOfHost] = matchPlace(host, url.host);
  if (!inHost) return undefined;
  let organization = organizationOfHost;
  for (const [index, wanted] of above.entries()) {
    const [isSame, named] = matchPlace(wanted, segments[index] ?? '');
    if (!isSame) return undefined;
    organization ??= named;
  }
  const basename = segments[above.length];
  if (organization === undefined || basename === undefined) return undefined;
  return { by: 'organization', organization, basename, depth: above.length + 1 };
}

/** Whether a text is what a part of the template says, and what stands for the organization in it. */
function matchPlace(template: string, text: string): [isSame: boolean, organization: string | undefined] {
  const at = template.indexOf(organizationPlace);
  if (at < 0) return [template === text, undefined];
  const [before, after] = [template.slice(0, at), template.slice(at + organizationPlace.length)];
  const named = text.slice(before.length, text.length - after.length);
  const isSame = text === `${before}${named}${after}` && organizationName.test(named);
  return isSame ? [true, named] : [false, undefined];
}
