import { type Connection, connect } from '@octavo/db';
import { selectUsedClaims } from '@octavo/expression';
import {
  type Background,
  createErrorResponse,
  formatServerTiming,
  parseSiteUrl,
  readGatewayContext,
  testKeyHeader,
  toCanonicalSiteUrl,
  waitForSlice,
} from '@octavo/runtime';
import { isApiError } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { findOpenSite, type OpenSite } from '../resolution/find-site.ts';
import { type AddressRedirect, type ResolvedContent, resolveAddress } from '../resolution/resolve-address.ts';
import { readUsedClaims } from '../resolution/used-claims.ts';
import type { AdmittedVisitor } from '../resolution/visitors.ts';
import { admitVisitor, getTokenExpiry, hashShareKey, mayBeShareKey, passParameter } from '../resolution/visitors.ts';
import type { CachedResponse } from './cached-responses.ts';
import {
  compressResponse,
  createEtag,
  findRecordedResponse,
  prefersMarkdown,
  recordResponse,
  respondCached,
  respondNotModified,
} from './cached-responses.ts';
import { filesPath, readBuildId, serveReaderFile } from './reader-files.ts';
import { respondRedirect } from './redirect.ts';
import { findRoute } from './routes.ts';
import { createNotFoundPage, servePage } from './serve-page.ts';
import { endSession, moveCredentialsToCookies, readSession, type Session } from './session.ts';
import type { KeyParts } from './site-cache.ts';
import { createReadCache, getVisitorParts, SiteCache, toCacheKey } from './site-cache.ts';
import type { SiteVisit } from './site-visit.ts';
import { createSiteApi } from './site-visit.ts';

interface SiteRequest {
  request: Request;
  url: URL;
  env: PublishingEnvironment;
  background: Background;
  connection: Connection;
  /** Version of the database; undefined if it is not known. */
  state: string | undefined;
  /** Version of the published content. Set once the site is known. */
  shownState?: string;
  /** Everything the response depends on, once the visitor is admitted. */
  parts?: KeyParts;
}

/** Serves requests of a site: pages, feeds and other formats of pages, and the files that pages load. */
export async function serveSite(
  request: Request,
  env: PublishingEnvironment,
  background: Background,
): Promise<Response> {
  const connection = connect(env.DB, { intent: 'read' });
  const url = toCanonicalSiteUrl(env, new URL(request.url));
  const state = env.DB.getState?.();
  const response = await handleSiteRequest({ request, url, env, background, connection, state });
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store');
  const isTest = env.OCTAVO_TEST_KEY !== undefined && request.headers.get(testKeyHeader) === env.OCTAVO_TEST_KEY;
  response.headers.set('server-timing', formatServerTiming(connection.cost, !isTest));
  return response;
}

async function handleSiteRequest(siteRequest: SiteRequest): Promise<Response> {
  const { request, url, env } = siteRequest;
  try {
    const [, file] = url.pathname.split(`/${filesPath}`, 2);
    return file === undefined ? await visitSite(siteRequest) : await serveReaderFile(request, env, file);
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return createNotFoundPage();
    return createErrorResponse(error, readGatewayContext(request).requestId);
  }
}

/** Finds the requested site and the path segments within it. One round trip. */
async function findRequestedSite({
  url,
  env,
  connection,
}: SiteRequest): Promise<{ open: OpenSite; segments: string[] } | undefined> {
  const address = parseSiteUrl(env, url.href);
  if (address === undefined) return undefined;
  const { candidates, segments } = address;
  const keys = [...new Set(candidates.map(({ depth }) => segments[depth] ?? ''))].filter(mayBeShareKey);
  const hashes = await Promise.all(keys.map(hashShareKey));
  const open = await findOpenSite(connection.db, { candidates, hashes });
  return open === undefined ? undefined : { open, segments: segments.slice(open.depth) };
}

const signOutPath = '~/sign-out';

async function visitSite(siteRequest: SiteRequest): Promise<Response> {
  const { request, url, env } = siteRequest;
  const site = await findRequestedSite(siteRequest);
  if (site === undefined) return respondUncached(siteRequest, noSession);
  const { open, segments } = site;
  if (segments.join('/') === signOutPath) return endSession(url, open);
  const given = await readSession(request, env, open);
  // A redirect would lose a request body.
  const redirect =
    request.method === 'GET'
      ? await moveCredentialsToCookies(url, env, { open, unsignedClaims: given.unsignedClaims })
      : undefined;
  if (redirect !== undefined) return redirect;
  const session = await removeUnusedClaims(siteRequest, open, given);
  if (url.searchParams.has(passParameter))
    return respondUncached(siteRequest, { ...session, jwt: url.searchParams.get(passParameter) ?? undefined });
  const admission = await admitVisitor(env, open, { ...session, segments, redirectOnError: true });
  const versionedRequest = { ...siteRequest, shownState: `${open.site.shown}-${open.site.organizationShown}` };
  if (session.preview !== undefined || typeof admission !== 'object') return respondUncached(versionedRequest, session);
  const visited = { open, admittedVisitor: admission, session };
  const parts = await getKeyParts(siteRequest, visited);
  const shared = { ...versionedRequest, parts };
  return request.method === 'GET' ? respondFromCache(shared, visited) : respondUncached(shared, session);
}

/**
 * Removes unsigned claims on which nothing of the site depends. They are part of cache keys, and a reader could
 * otherwise invent a new key for each request.
 */
async function removeUnusedClaims({ connection }: SiteRequest, open: OpenSite, session: Session): Promise<Session> {
  if (session.preview !== undefined || Object.keys(session.unsignedClaims).length === 0) return session;
  return {
    ...session,
    unsignedClaims: selectUsedClaims(session.unsignedClaims, await readUsedClaims(connection.db, open)),
  };
}

const noSession: Session = { jwt: undefined, preview: undefined, unsignedClaims: {} };

const mebibyte = 1024 * 1024;
const pages = new SiteCache<CachedResponse>({
  ...{ maxBytes: 32 * mebibyte, maxBytesPerSite: 8 * mebibyte },
  getBytes: ({ body }) => body.length,
});

interface Visited {
  open: OpenSite;
  admittedVisitor: AdmittedVisitor;
  session: Session;
}

/**
 * Returns the part of the query that a response depends on. Only routes with `~` depend on it. On pages it is ignored,
 * so that tracking parameters do not fill the cache.
 */
const getRelevantQuery = ({ pathname, search }: URL): string => (pathname.includes('/~/') ? search : '');

async function getKeyParts({ env, url, request }: SiteRequest, { open, admittedVisitor }: Visited): Promise<KeyParts> {
  const { site, depth } = open;
  const { shareLink = '', claims } = admittedVisitor;
  return {
    build: env.OCTAVO_BUILD ?? (await readBuildId(env)),
    publicUrl: env.OCTAVO_PUBLIC_URL,
    sitesUrl: env.OCTAVO_SITES_URL ?? '',
    ...{ site: site.id, shown: site.shown, organizationShown: site.organizationShown, stamp: site.stamp },
    ...{ shareLink, claims, expires: getTokenExpiry(Date.now()) },
    ...{ origin: url.origin, depth, path: url.pathname, query: getRelevantQuery(url) },
    form: prefersMarkdown(request) ? 'markdown' : 'html',
  };
}

async function respondFromCache(siteRequest: SiteRequest & { parts: KeyParts }, visited: Visited): Promise<Response> {
  const { request } = siteRequest;
  const { site } = visited.open;
  const key = toCacheKey(siteRequest.parts);
  const isOpen = site.visibility === 'public' && Object.keys(visited.admittedVisitor.claims).length === 0;
  const cacheControl = isOpen ? 'public, max-age=0, must-revalidate' : 'private, no-cache';
  const shared = { tag: await createEtag(key), cacheControl };
  const notModified = respondNotModified(request, shared);
  if (notModified !== undefined) return notModified;
  let bypassed: Response | undefined;
  const createResponse = async () => {
    const response = await respondUncached(siteRequest, visited.session);
    if (cacheable.has(response)) return compressResponse(response);
    bypassed = response;
    return undefined;
  };
  const cached = await pages.get(site.id, key, { load: createResponse, background: siteRequest.background });
  if (cached === undefined) return bypassed ?? respondUncached(siteRequest, visited.session);
  recordResponse(request, siteRequest.state, { site: site.id, key, shared });
  return respondCached(request, cached, shared);
}

/** Returns the previous response to a request if the database has not changed since. */
export function findRecordedSiteResponse(request: Request, state: string): Response | undefined {
  const response = findRecordedResponse(request, state, pages);
  response?.headers.set('server-timing', formatServerTiming({ trips: 0, rowsRead: 0, rowsWritten: 0 }, true));
  return response;
}

/** Responses that may be cached. */
const cacheable = new WeakSet<Response>();

async function respondUncached(siteRequest: SiteRequest, session: Session): Promise<Response> {
  const { url } = siteRequest;
  await waitForSlice();
  const content = await resolveUrl(siteRequest, session, url.href);
  if ('target' in content) return respondRedirect(siteRequest, content);
  const isRoot = content.pathname === '/' && content.basePath === content.siteBasePath;
  if (isRoot && !url.pathname.endsWith('/'))
    return new Response(null, { status: 308, headers: { location: `${content.siteBasePath}${url.search}` } });
  const visit = createVisit(siteRequest, session, content);
  const route = findRoute(visit);
  await waitForSlice();
  const response = await (route === undefined ? servePage(visit) : route.handler(visit));
  if (response.status === 200 && (route === undefined || route.isCacheable)) cacheable.add(response);
  return response;
}

const resolveUrl = ({ env, connection, request }: SiteRequest, { jwt, unsignedClaims }: Session, url: string) =>
  resolveAddress({ url, jwt, unsignedClaims, redirectOnError: request.method === 'GET' }, { env, ...connection });

function createVisit(siteRequest: SiteRequest, session: Session, content: ResolvedContent): SiteVisit {
  const { parts, background } = siteRequest;
  // The address that is looked up may belong to another site.
  const isSameSite = parts?.site === content.site;
  const readCache = isSameSite
    ? createReadCache({ site: content.site, key: toCacheKey(getVisitorParts(parts)), background })
    : undefined;
  const api = createSiteApi({ ...siteRequest, token: content.apiToken, cost: siteRequest.connection.cost, readCache });
  return {
    ...siteRequest,
    shownState: siteRequest.shownState ?? '',
    content,
    api,
    lookUp: (address) => lookUpAddress(siteRequest, session, address),
    findRedirect: (address) => findRedirect(siteRequest, session, address),
  };
}

async function findRedirect(
  siteRequest: SiteRequest,
  session: Session,
  address: string,
): Promise<AddressRedirect | undefined> {
  const found = await ignoreNotFound(() => resolveUrl(siteRequest, session, address));
  return found !== undefined && 'target' in found ? found : undefined;
}

async function lookUpAddress(
  siteRequest: SiteRequest,
  session: Session,
  address: string,
): Promise<SiteVisit | undefined> {
  const found = await ignoreNotFound(async () => {
    const first = await resolveUrl(siteRequest, session, address);
    return 'target' in first && first.target === 'content' ? resolveUrl(siteRequest, session, first.redirect) : first;
  });
  return found === undefined || 'target' in found ? undefined : createVisit(siteRequest, session, found);
}

async function ignoreNotFound<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
