import type { OrganizationId, SiteCandidate } from '@octavo/schema';

/** The settings that determine the URLs of sites. */
export interface SiteUrlSettings {
  OCTAVO_PUBLIC_URL: string;
  /** The URL of an organization's sites, with `{organization}` for its hostname. */
  OCTAVO_SITES_URL?: string;
}

const organizationPlaceholder = '{organization}';

/** Returns the URL template of organizations' sites, without a trailing slash. */
const getTemplate = ({ OCTAVO_SITES_URL: template, OCTAVO_PUBLIC_URL: base }: SiteUrlSettings): string =>
  (template || `${base.replace(/\/$/, '')}/-/${organizationPlaceholder}`).replace(/\/$/, '');

/** The fields of a site that determine its URL. */
export interface SiteUrlParts {
  organization: OrganizationId;
  organizationHostname: string | null;
  basename: string;
  hostname: string | null;
  proxy: string | null;
}

/** Returns the URL of a site below its organization, without a trailing slash. */
export const getOrganizationSiteUrl = (env: SiteUrlSettings, site: SiteUrlParts): string =>
  `${getTemplate(env).replace(organizationPlaceholder, site.organizationHostname ?? site.organization)}/${encodeURIComponent(site.basename)}`;

/** Returns the URL of a site, without a trailing slash: at its own host, at its proxy, or below its organization. */
export function getSiteUrl(env: SiteUrlSettings, site: SiteUrlParts): string {
  if (site.hostname !== null) return `https://${site.hostname}`;
  return site.proxy === null ? getOrganizationSiteUrl(env, site) : `https://${site.proxy}`;
}

/** A location in a site. Levels that are the default or undefined are omitted from the URL. */
export interface SiteUrlLocation {
  shareKey?: string | undefined;
  section?: { path: string; isDefault: boolean } | undefined;
  siteSpace?: { path: string; isDefault: boolean } | undefined;
  /** The path of a page in its space, not encoded, with slashes between segments. */
  page?: string | undefined;
}

/** Returns the URL of a location in a site whose URL is `base`. The URL of the site itself ends with a slash. */
export function getLocationUrl(base: string, { shareKey, section, siteSpace, page = '' }: SiteUrlLocation): string {
  const segments = [
    shareKey,
    section?.isDefault ? undefined : section?.path,
    siteSpace?.isDefault ? undefined : siteSpace?.path,
    ...page.split('/'),
  ].filter((segment): segment is string => segment !== undefined && segment !== '');
  return [base, ...segments.map(encodeURIComponent)].join('/') + (segments.length === 0 ? '/' : '');
}

export const addAnchor = (url: string, anchor: string | undefined): string =>
  anchor === undefined ? url : `${url}#${encodeURIComponent(anchor)}`;

/** Returns the decoded segments of a path, or undefined if an encoding is malformed. */
function parseSegments(pathname: string): string[] | undefined {
  try {
    return pathname.split('/').flatMap((segment) => (segment === '' ? [] : [decodeURIComponent(segment)]));
  } catch {
    return undefined;
  }
}

const maxProxySegments = 8;

/**
 * Returns the segments of a URL's path, and the sites that the URL can belong to, considering every form of site URL.
 */
export function parseSiteUrl(
  env: SiteUrlSettings,
  address: string,
): { candidates: SiteCandidate[]; segments: string[]; url: URL } | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const segments = parseSegments(url.pathname);
  if (segments === undefined) return undefined;
  const proxies = segments.slice(0, maxProxySegments).map((_, index): SiteCandidate => {
    const depth = index + 1;
    return { by: 'proxy', proxy: [url.hostname, ...segments.slice(0, depth)].join('/'), depth };
  });
  const organizationCandidate = findOrganizationCandidate(getTemplate(env), url, segments);
  const hostname = { by: 'hostname', hostname: url.hostname, depth: 0 } as const;
  return {
    candidates: [...(organizationCandidate === undefined ? [] : [organizationCandidate]), hostname, ...proxies],
    segments,
    url,
  };
}

const organizationName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the host of the template in lower case, as in parsed URLs, and its path. */
function splitTemplate(template: string): [host: string, path: string] {
  const [, host = '', path = ''] = /^https?:\/\/([^/]+)(.*)$/.exec(template) ?? [];
  return [host.toLowerCase(), path];
}

/** Whether each organization has its own host for its sites. */
export const hasHostPerOrganization = (env: SiteUrlSettings): boolean =>
  splitTemplate(getTemplate(env))[0].includes(organizationPlaceholder);

/** Whether a hostname belongs to the server: it is in its public URL, or in the URLs of organizations' sites. */
export function isOwnHost(env: SiteUrlSettings, hostname: string): boolean {
  const [host] = splitTemplate(getTemplate(env));
  const [isOfSites] = matchTemplate(host.replace(/:\d+$/, ''), hostname);
  return isOfSites || getHostname(env.OCTAVO_PUBLIC_URL) === hostname;
}

let publicUrl: { text: string; hostname: string } | undefined;

/** Returns the hostname of the server's public URL, which is parsed once. */
function getHostname(text: string): string {
  if (publicUrl?.text !== text) publicUrl = { text, hostname: URL.parse(text)?.hostname ?? '' };
  return publicUrl.hostname;
}

const getScheme = (env: SiteUrlSettings): string => /^https?:/.exec(getTemplate(env))?.[0] ?? 'https:';

/** Whether a hostname is an IP address or a name of the machine itself. */
const isMachineName = (hostname: string): boolean => /^\[|(?:^|\.)(?:localhost|\d+)\.?$/.test(hostname);

/** Whether a site or its proxy may have this hostname. */
const isPossibleSiteName = (hostname: string): boolean =>
  /^[^.]+(?:\.[^.]+)+\.?$/.test(hostname) && !isMachineName(hostname);

/**
 * Whether a host serves only sites. This is true for the host of an organization. If the server has a name of its own,
 * it is also true for every other host that a site may have.
 */
export function isSiteHost(env: SiteUrlSettings, hostname: string): boolean {
  const server = getHostname(env.OCTAVO_PUBLIC_URL);
  if (server === hostname) return false;
  return isOwnHost(env, hostname) || (!isMachineName(server) && isPossibleSiteName(hostname));
}

/**
 * Returns the canonical URL of a site's page. On the server's own host, it has the server's public name, even if the
 * request used another name of the machine. On other hosts, it has the public scheme of sites, even if a proxy in front
 * of the server uses another scheme.
 */
export function toCanonicalSiteUrl(env: SiteUrlSettings, { hostname, pathname, search, host }: URL): URL {
  const origin = isSiteHost(env, hostname) ? `${getScheme(env)}//${host}` : env.OCTAVO_PUBLIC_URL;
  const url = new URL(origin);
  url.pathname = pathname;
  url.search = search;
  return url;
}

/** The scheme is ignored, because a proxy can have changed it. */
function findOrganizationCandidate(template: string, url: URL, segments: string[]): SiteCandidate | undefined {
  const [host, path] = splitTemplate(template);
  const templateSegments = path.split('/').filter((segment) => segment !== '');
  const [inHost, organizationOfHost] = matchTemplate(host, url.host);
  if (!inHost) return undefined;
  let organization = organizationOfHost;
  for (const [index, templateSegment] of templateSegments.entries()) {
    const [isMatch, organizationName] = matchTemplate(templateSegment, segments[index] ?? '');
    if (!isMatch) return undefined;
    organization ??= organizationName;
  }
  const basename = segments[templateSegments.length];
  if (organization === undefined || basename === undefined) return undefined;
  return { by: 'organization', organization, basename, depth: templateSegments.length + 1 };
}

/** Returns whether a text matches a part of the template, and the organization that the text contains. */
function matchTemplate(template: string, text: string): [isSame: boolean, organization: string | undefined] {
  const index = template.indexOf(organizationPlaceholder);
  if (index < 0) return [template === text, undefined];
  const [before, after] = [template.slice(0, index), template.slice(index + organizationPlaceholder.length)];
  const candidateName = text.slice(before.length, text.length - after.length);
  const isMatch = text === `${before}${candidateName}${after}` && organizationName.test(candidateName);
  return isMatch ? [true, candidateName] : [false, undefined];
}
