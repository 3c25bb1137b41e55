import { RouteTable } from '@octavo/runtime';
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

/** What browsers open outside of the API: pages to sign in, files, uploads and PDFs by their signed addresses, public OpenAPI documents, images of integrations, and what their scripts answer. */
export function pagesAt(pathname: string) {
  if (/^\/(?:sso|sign-in)\//.test(pathname)) return signInPages;
  if (/^\/(?:pdf|openapi)\//.test(pathname)) return publishedPages;
  if (pathname.startsWith('/integration-images/')) return integrationImages;
  if (pathname.startsWith('/integrations/')) return publicEndpoints;
  if (pathname.startsWith('/uploads/')) return uploadPages;
  if (pathname.startsWith('/-/')) return /\/~\/(?:mcp|search(?:\.json)?)$/.test(pathname) ? siteSearches : sitePages;
  return pathname.startsWith('/files/') ? filePages : undefined;
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
const publishedPages = { endpoint: { maxBodyBytes: 0, rate: 'requests' }, binding: 'PUBLISHING' } as const;

const secretPlace = /((?:sign-in|invites)[/\\]+).*/is;

/** A path as the log keeps it: who knows what follows `/sign-in/`, `/invites/` or `/link-invites/` comes in by it. */
export function loggedPath(pathname: string): string {
  const plain = decoded(pathname);
  return (secretPlace.test(plain) ? plain.replace(secretPlace, '$1…') : pathname).slice(0, 512);
}

/** Without percent-encoded ASCII, however often it was encoded. */
const decoded = (text: string): string =>
  !text.includes('%')
    ? text
    : text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The endpoint that a request is for, and who answers it. */
export const routeOf = (method: string, pathname: string): ({ endpoint: Endpoint } & Answering) | undefined =>
  operations.find(method, pathname)?.target;

/** Whether the gateway answers by itself what this is: it needs none of the workers. */
export function answersAlone(method: string, pathname: string): boolean {
  const route = pagesAt(pathname) ?? routeOf(method === 'HEAD' ? 'GET' : method, pathname);
  return route === undefined || 'constant' in route;
}
