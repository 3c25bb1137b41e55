import type { Constant, Constants, Route, RouteMatch } from '@octavo/runtime';
import { isSiteHost, RouteMatcher } from '@octavo/runtime';
import type { Domain, Endpoint, gateway, RateKind } from '@octavo/schema';
import { apiVersion, contracts, directoryPath, maxUploadBytes } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import type { GatewayPage } from './pages.ts';
import { ownPages } from './pages.ts';

export const getApiInformation: Constant<typeof gateway.getApiInformation, GatewayEnvironment> = (env) => ({
  version: apiVersion,
  build: env.OCTAVO_BUILD ?? 'unnamed',
});

/** The operations that the gateway serves itself. */
const gatewayOperations: Constants<typeof gateway, GatewayEnvironment> = { getApiInformation };

const bindings = {
  content: 'CONTENT',
  collaboration: 'COLLABORATION',
  'org-admin': 'ORG_ADMIN',
  publishing: 'PUBLISHING',
  integrations: 'INTEGRATIONS',
} as const satisfies Record<Exclude<Domain, 'gateway'>, keyof GatewayEnvironment>;

type Binding = (typeof bindings)[keyof typeof bindings];

interface WorkerTarget {
  endpoint: { maxBodyBytes?: number; rate?: Exclude<RateKind, 'wrong-tokens'> };
  binding: Binding;
  isOfSite?: true;
  /** Whether the worker receives the session cookie. No other worker does. */
  readsSession?: true;
  /** The operation of the API; undefined for pages. */
  operation?: string;
}

interface ConstantTarget {
  endpoint: Endpoint;
  constant: (env: GatewayEnvironment) => unknown;
}

export type RouteTarget = WorkerTarget | ConstantTarget | GatewayPage;

const operations = new RouteMatcher<WorkerTarget | ConstantTarget>(
  Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract as Record<string, Endpoint>).map(([name, endpoint]) => ({
      method: endpoint.method,
      path: endpoint.path,
      target: { endpoint, ...findDestination(domain as Domain, name) },
    })),
  ),
  { trailingSlash: 'ignored' },
);

function findDestination(domain: Domain, name: string) {
  return domain === 'gateway'
    ? { constant: gatewayOperations[name as keyof typeof gatewayOperations] }
    : { binding: bindings[domain], operation: name };
}

const toWorker = (
  binding: Binding,
  maxBodyBytes: number,
  rate: WorkerTarget['endpoint']['rate'] = 'requests',
): WorkerTarget => ({ endpoint: { maxBodyBytes, rate }, binding });

const signInPages: WorkerTarget = { ...toWorker('ORG_ADMIN', 512 * 1024, 'sign-ins'), readsSession: true };
const publishedPages = toWorker('PUBLISHING', 0);
const appPages: WorkerTarget = { ...publishedPages, readsSession: true };

/** Pages that browsers open outside of the API. Each worker matches its own pages below these paths. */
const pages = new RouteMatcher<RouteTarget>(
  [
    ...ownPages,
    createRoute('/sso', signInPages),
    createRoute('/sign-in', signInPages),
    { method: 'ALL', path: '/login', target: signInPages },
    createRoute('/login', signInPages),
    { method: 'ALL', path: '/logout', target: signInPages },
    createRoute('/pdf', publishedPages),
    createRoute('/openapi', publishedPages),
    { method: 'ALL', path: '/app', target: appPages },
    createRoute('/app', appPages),
    createRoute('/~/assets', publishedPages),
    createRoute('/integration-images', toWorker('INTEGRATIONS', 0)),
    createRoute('/integrations', toWorker('INTEGRATIONS', 5_000_000)),
    createRoute('/uploads', toWorker('CONTENT', maxUploadBytes)),
    createRoute('/files', toWorker('CONTENT', 0)),
    createRoute('/live', toWorker('CONTENT', 0)),
    createRoute(directoryPath, toWorker('ORG_ADMIN', 0)),
    ...['/metrics', '/health/details'].map((path) => ({ method: 'GET', path, target: toWorker('CONTENT', 0) })),
  ],
  { trailingSlash: 'refused' },
);

function createRoute(path: string, target: WorkerTarget): Route<WorkerTarget> {
  return { method: 'ALL', path: `${path}/*`, target };
}

const sitePages: WorkerTarget = { ...toWorker('PUBLISHING', 1_000_000), isOfSite: true };
const siteSearches: WorkerTarget = { ...toWorker('PUBLISHING', 64 * 1024, 'searches'), isOfSite: true };
const siteFeedback: WorkerTarget = { ...toWorker('PUBLISHING', 1024, 'ratings'), isOfSite: true };
const sitePdfs: WorkerTarget = { ...toWorker('PUBLISHING', 0, 'jobs'), isOfSite: true };

/** Paths of sites whose limits differ from those of pages. A site is at the root of its own host or below a path. */
const siteTools = new RouteMatcher<WorkerTarget>(
  ['', '/:site+'].flatMap((site) => [
    { method: 'ALL', path: `${site}/~/mcp`, target: siteSearches },
    { method: 'ALL', path: `${site}/~/search`, target: siteSearches },
    { method: 'ALL', path: `${site}/~/search.json`, target: siteSearches },
    { method: 'ALL', path: `${site}/~/pdf`, target: sitePdfs },
    { method: 'ALL', path: `${site}/~/feedback`, target: siteFeedback },
  ]),
  { trailingSlash: 'ignored' },
);

/** The reader decodes paths and merges repeated slashes. The limits must do the same, so that no path bypasses them. */
function matchSite(method: string, pathname: string): RouteMatch<WorkerTarget> {
  const path = decodePath(pathname).replace(/\/{2,}/g, '/');
  return siteTools.match(method, path) ?? { target: sitePages, params: {} };
}

const secretPath = /((?:sign-in|invites)[/\\]+).*/is;
/** A path segment that can be the key of a share link. */
const secretSegment = /(?<=[/\\])[\w-]{22}(?=[/\\]|$)/g;

/**
 * Returns a path without secrets, for the log. The segments after `/sign-in/`, `/invites/` and `/link-invites/` and the
 * share link keys in site URLs give access by themselves.
 */
export function toLoggedPath(addressed: AddressedRequest, env: SiteSettings): string {
  const { pathname } = addressed;
  const plain = decodePath(pathname);
  const safe = isOfSite(addressed, env) ? plain.replace(secretSegment, '…') : plain.replace(secretPath, '$1…');
  return (safe === plain ? pathname : safe).slice(0, 512);
}

/** Decodes percent-encoded ASCII, even if it is encoded several times. */
const decodePath = (text: string): string =>
  !text.includes('%')
    ? text
    : text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

type SiteSettings = Parameters<typeof isSiteHost>[0];
type AddressedRequest = Pick<URL, 'hostname' | 'pathname'>;

/** Whether a URL belongs to a site and not to the API. */
export const isOfSite = ({ hostname, pathname }: AddressedRequest, env: SiteSettings): boolean =>
  isSiteHost(env, hostname) || pathname.startsWith('/-/');

/** Whether a URL belongs to the API. Only valid for URLs that do not belong to a site. */
export const isOfApi = ({ pathname }: Pick<URL, 'pathname'>): boolean => pathname.startsWith('/v1');

/** Returns a key that is the same for all pages of a site. Few other sites have the same key. */
export function getSiteKey({ host, pathname }: Pick<URL, 'host' | 'pathname'>): string {
  const [, root, organization, site] = decodePath(pathname).toLowerCase().split(/\/+/);
  return root === '-' ? `${host}/-/${organization}/${site}` : host;
}

/** Returns the route of a request. The host of a site serves only the pages of the site. */
export function matchRoute(
  method: string,
  { hostname, pathname }: AddressedRequest,
  env: SiteSettings,
): RouteMatch<RouteTarget> | undefined {
  if (isOfSite({ hostname, pathname }, env)) return matchSite(method, pathname);
  if (isOfApi({ pathname })) return operations.match(method, pathname);
  return pages.match(method, pathname);
}

/** The paths at which the gateway responds without calling a worker, with and without a trailing slash. */
const ownPaths = new Set([...ownPages, ...Object.values(contracts.gateway)].flatMap(({ path }) => [path, `${path}/`]));

/**
 * Returns who responds to a request: the gateway without calling a worker, an operation of the API, or another worker.
 * Some unusual forms of the gateway's URLs are not recognized, because most URLs are not parsed.
 */
export function findResponder({ url, method }: Request, env: SiteSettings): 'gateway' | 'api' | 'worker' {
  if (method === 'OPTIONS') return 'gateway';
  const path = url.slice(url.indexOf('/', url.indexOf('://') + '://'.length));
  if (/^\/v1\/\w/.test(path)) return 'api';
  if (!ownPaths.has(path.replace(/[?#].*$/s, ''))) return 'worker';
  const parsed = URL.parse(url);
  return parsed === null || !isOfSite(parsed, env) ? 'gateway' : 'worker';
}
