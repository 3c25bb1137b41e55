import type { Domain, Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';

interface Route {
  domain: Domain;
  endpoint: Endpoint;
  pattern: RegExp;
}

const bindings = {
  content: 'CONTENT',
  collaboration: 'COLLABORATION',
  'org-admin': 'ORG_ADMIN',
  publishing: 'PUBLISHING',
  integrations: 'INTEGRATIONS',
} as const satisfies Record<Domain, keyof GatewayEnvironment>;

/** `:name` stands for one segment, a last `:name+` for one or more. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+\+/g, '.+').replace(/:\w+/g, '[^/]+')}/?$`);

const routes: Route[] = Object.entries(contracts).flatMap(([domain, contract]) =>
  Object.values(contract as Record<string, Endpoint>).map((endpoint) => ({
    domain: domain as Domain,
    endpoint,
    pattern: patternOf(endpoint.path),
  })),
);

/** What browsers open outside of the API: pages to sign in, and files and PDFs by their signed addresses. */
export function pagesAt(pathname: string) {
  if (/^\/(?:sso|sign-in)\//.test(pathname)) return signInPages;
  if (pathname.startsWith('/pdf/')) return pdfPages;
  return pathname.startsWith('/files/') ? filePages : undefined;
}
const signInPages = { endpoint: { maxBodyBytes: 512 * 1024, rate: 'sign-ins' }, binding: 'ORG_ADMIN' } as const;
const filePages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'CONTENT' } as const;
const pdfPages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'PUBLISHING' } as const;

const secretPlace = /((?:sign-in|invites)[/\\]+).*/is;

/** A path as the log keeps it: who knows what follows `/sign-in/`, `/invites/` or `/link-invites/` comes in by it. */
export function loggedPath(pathname: string): string {
  const plain = decoded(pathname);
  return (secretPlace.test(plain) ? plain.replace(secretPlace, '$1…') : pathname).slice(0, 512);
}

/** What the log keeps of a URL; nothing of one that is none. */
export const loggedPathOf = (url: string): string | undefined =>
  URL.canParse(url) ? loggedPath(new URL(url).pathname) : undefined;

/** Without percent-encoded ASCII, however often it was encoded. */
const decoded = (text: string): string =>
  text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The endpoint that a request is for, and the worker that keeps its contract. */
export function routeOf(
  method: string,
  pathname: string,
): { endpoint: Endpoint; binding: (typeof bindings)[Domain] } | undefined {
  const route = routes.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(pathname));
  return route === undefined ? undefined : { endpoint: route.endpoint, binding: bindings[route.domain] };
}
