import { isOfSites, RouteTable } from '@octavo/runtime';
import type { Domain, Endpoint } from '@octavo/schema';
import { contracts, maxUploadBytes } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';

const bindings = {
  content: 'CONTENT',
  collaboration: 'COLLABORATION',
  'org-admin': 'ORG_ADMIN',
  publishing: 'PUBLISHING',
  integrations: 'INTEGRATIONS',
} as const satisfies Record<Exclude<Domain, 'gateway'>, keyof GatewayEnvironment>;

type Binding = (typeof bindings)[keyof typeof bindings];

/** Who answers an endpoint: the worker behind a binding, or the gateway itself. */
type Answering = { binding: Binding } | { constant: (env: GatewayEnvironment) => unknown };

const answering = (domain: Domain, name: string): Answering =>
  domain === 'gateway' ? { constant: handlers[name as keyof typeof handlers] } : { binding: bindings[domain] };

const operations = new RouteTable(
  Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract as Record<string, Endpoint>).map(([name, endpoint]) => ({
      method: endpoint.method,
      path: endpoint.path,
      target: { endpoint, ...answering(domain as Domain, name) },
    })),
  ),
);

/** What browsers open outside of the API: pages to sign in, files, uploads and PDFs by their signed addresses, what `urls.app` names, public OpenAPI documents, images of integrations, and what their scripts answer. */
function pagesAt(pathname: string) {
  if (/^\/(?:sso|sign-in)\//.test(pathname)) return signInPages;
  if (/^\/(?:pdf|openapi)\//.test(pathname)) return publishedPages;
  if (pathname.startsWith('/integration-images/')) return integrationImages;
  if (pathname.startsWith('/integrations/')) return publicEndpoints;
  if (pathname.startsWith('/uploads/')) return uploadPages;
  if (pathname.startsWith('/-/')) return siteAt(pathname);
  if (pathname.startsWith('/app/')) return namesObject(pathname) ? publishedPages : undefined;
  return pathname.startsWith('/files/') ? filePages : undefined;
}

/** The reader takes a path that is encoded, or has slashes to spare, for the same. */
function siteAt(pathname: string) {
  const path = decoded(pathname)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  if (/\/~\/(?:mcp|search(?:\.json)?)$/.test(path)) return siteSearches;
  return path.endsWith('/~/pdf') ? sitePdfs : sitePages;
}

const signInPages = { endpoint: { maxBodyBytes: 512 * 1024, rate: 'sign-ins' }, binding: 'ORG_ADMIN' } as const;
const filePages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'CONTENT' } as const;
const uploadPages = { endpoint: { maxBodyBytes: maxUploadBytes, rate: 'requests' }, binding: 'CONTENT' } as const;
const publicEndpoints = { endpoint: { maxBodyBytes: 5_000_000, rate: 'requests' }, binding: 'INTEGRATIONS' } as const;
const integrationImages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'INTEGRATIONS' } as const;
const sitePages = {
  endpoint: { maxBodyBytes: 1_000_000, rate: 'requests' },
  binding: 'PUBLISHING',
  isOfSite: true,
} as const;
const siteSearches = { ...sitePages, endpoint: { maxBodyBytes: 64 * 1024, rate: 'searches' } } as const;
const sitePdfs = { ...sitePages, endpoint: { maxBodyBytes: 0, rate: 'jobs' } } as const;
const publishedPages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'PUBLISHING' } as const;

/** Whether a path of the application is that of something that the API has at the same. */
const namesObject = (pathname: string): boolean =>
  /^[\w/~.-]+$/.test(pathname) && routeOf('GET', `/v1/${pathname.slice('/app/'.length)}`) !== undefined;

const secretPlace = /((?:sign-in|invites)[/\\]+).*/is;
/** What may be the key of a share link. */
const secretSegment = /(?<=[/\\])[\w-]{22}(?=[/\\]|$)/g;

/**
 * A path as the log keeps it: who knows what follows `/sign-in/`, `/invites/` or `/link-invites/` comes in by it, and so
 * does who knows the key in an address of a site.
 */
export function loggedPath(place: Addressed, env: SiteSettings): string {
  const { pathname } = place;
  const plain = decoded(pathname);
  const kept = isOfSite(place, env) ? plain.replace(secretSegment, '…') : plain.replace(secretPlace, '$1…');
  return (kept === plain ? pathname : kept).slice(0, 512);
}

/** Without percent-encoded ASCII, however often it was encoded. */
const decoded = (text: string): string =>
  !text.includes('%')
    ? text
    : text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The endpoint that a request is for, and who answers it. */
export const routeOf = (method: string, pathname: string): ({ endpoint: Endpoint } & Answering) | undefined =>
  operations.find(method, pathname)?.target;

type SiteSettings = Parameters<typeof isOfSites>[0];
type Addressed = Pick<URL, 'hostname' | 'pathname'>;

/** Whether an address is a site's, and none of the API. */
export const isOfSite = ({ hostname, pathname }: Addressed, env: SiteSettings): boolean =>
  isOfSites(env, hostname) || pathname.startsWith('/-/');

/** Who answers at an address: at the hosts of sites their pages alone. */
export const targetOf = (method: string, { hostname, pathname }: URL, env: SiteSettings) =>
  isOfSites(env, hostname) ? siteAt(pathname) : (pagesAt(pathname) ?? routeOf(method, pathname));

/** Whether the gateway answers by itself what this is: it needs none of the workers. */
export function answersAlone(method: string, url: URL, env: SiteSettings): boolean {
  const route = targetOf(method === 'HEAD' ? 'GET' : method, url, env);
  return route === undefined || 'constant' in route;
}
