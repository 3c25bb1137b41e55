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
import { isApiError, startCall } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundSite, OpenSite } from '../resolution/find-site.ts';
import { findOpenSite } from '../resolution/find-site.ts';
import type { KnownSite } from '../resolution/queries.ts';
import {
  type AddressRedirect,
  findSiteAt,
  hashShareKeys,
  type ResolvedContent,
  resolveAddress,
} from '../resolution/resolve-address.ts';
import type { AdmittedVisitor, Session } from '../resolution/visitors.ts';
import {
  admitVisitor,
  endSession,
  findKnownClaims,
  moveCredentialsToCookies,
  passParameter,
  readSeenBookmark,
  readSession,
  readUsedClaims,
  setSeenBookmark,
} from '../resolution/visitors.ts';
import { prefersMarkdown, type RenderedResponse, respondFromCache } from './cached-responses.ts';
import { createApiSearch, createVisitorCache, PageLoader } from './page-loader.ts';
import { filesPath, serveReaderFile } from './reader-files.ts';
import { createDocumentCache } from './rendered-documents.ts';
import { findRoute } from './routes.ts';
import { createNotFoundPage, respondRedirect, servePage } from './serve-page.ts';
import type { KeyParts } from './site-cache.ts';
import { addRecentSite, findRecentSite, hasSharedCache } from './site-cache.ts';
import type { SiteVisit } from './site-visit.ts';
import { createSiteApi, getContentBuild, recordContentBuild } from './site-visit.ts';

interface SiteRequest {
  request: Request;
  url: URL;
  env: PublishingEnvironment;
  background: Background;
  connection: Connection;
  /** The sites to which the URL may belong; undefined if it is no URL of a site. */
  address: NonNullable<ReturnType<typeof parseSiteUrl>> | undefined;
  /** The site, if this isolate has read it recently. */
  recent: OpenSite | undefined;
  /** Version of the database; undefined if it is not known. */
  state: string | undefined;
  /** Version of the published content. Set once the site is known. */
  shownState?: string;
  /** Everything the response depends on, once the visitor is admitted. */
  parts?: KeyParts;
  /** The site with everything that the address may resolve to, if its read has already started. */
  pendingSite?: Promise<FoundSite | undefined> | undefined;
}

/** Serves requests of a site: pages, feeds and other formats of pages, and the files that pages load. */
export async function serveSite(
  request: Request,
  env: PublishingEnvironment,
  background: Background,
): Promise<Response> {
  const url = toCanonicalSiteUrl(env, new URL(request.url));
  const address = parseSiteUrl(env, url.href);
  const seen = readSeenBookmark(request);
  // A preview must show what the member has just written, such as a new site, so the site is read again.
  const hasCredentialsInUrl = url.searchParams.has(passParameter);
  const state = env.DB.getState?.();
  const recent =
    address && !hasCredentialsInUrl
      ? findRecentSite({ ...address, hashes: await hashShareKeys(address) }, { seen, state })
      : undefined;
  const bookmark = recent?.bookmark ?? seen;
  const connection = connect(env.DB, {
    intent: hasCredentialsInUrl ? 'read' : 'visit',
    bookmark,
    // If the site was read recently, no import can be running, because an installation with sites refuses imports.
    requiresComplete: recent === undefined,
  });
  const siteRequest = { request, url, env, background, connection, address, recent: recent?.open, state };
  const response = await handleSiteRequest(siteRequest);
  recordContentBuild(connection);
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

interface RequestedSite {
  open: OpenSite;
  /** The path segments below the address of the site. */
  segments: string[];
}

/** Finds the requested site and the path segments within it. One round trip, none if the site was read recently. */
async function findRequestedSite(siteRequest: SiteRequest): Promise<RequestedSite | undefined> {
  const { address, recent } = siteRequest;
  const open = address && (recent ?? (await readOpenSite(siteRequest, address)));
  return open && { open, segments: address.segments.slice(open.depth) };
}

async function readOpenSite(
  { env, connection, state }: SiteRequest,
  address: NonNullable<SiteRequest['address']>,
): Promise<OpenSite | undefined> {
  const siteAddress = { ...address, hashes: await hashShareKeys(address) };
  const open = await findOpenSite(connection.db, siteAddress);
  if (open !== undefined) addRecentSite(env, siteAddress, { open, bookmark: connection.bookmark(), state });
  return open;
}

const signOutPath = '~/sign-out';

async function visitSite(siteRequest: SiteRequest): Promise<Response> {
  const { request, env, connection } = siteRequest;
  const site = await findRequestedSite(siteRequest);
  if (site === undefined) return respondUncached(siteRequest, { session: noSession });
  const { open, segments } = site;
  if (segments.join('/') === signOutPath) return endSession(siteRequest.url, open);
  const session = await readSession(request, env, open);
  if (session.preview !== undefined) return visitFromPrimary(siteRequest, site, session);
  const response = await visitOpenSite(siteRequest, site, session);
  // After signing in, a visitor must not see an earlier state of the site than now.
  if (hasSharedCache(env) && response.headers.has('set-cookie'))
    setSeenBookmark(response, siteRequest.url, open, connection.bookmark());
  return response;
}

/** Members often preview settings that they have just changed, so previews are read from the primary. */
async function visitFromPrimary(siteRequest: SiteRequest, site: RequestedSite, session: Session): Promise<Response> {
  const { env, connection } = siteRequest;
  const primary = connect(env.DB, { intent: 'read' });
  const endCall = startCall(connection.cost);
  try {
    return await visitOpenSite({ ...siteRequest, connection: primary }, site, session);
  } finally {
    endCall(primary.cost);
  }
}

async function visitOpenSite(
  siteRequest: SiteRequest,
  { open, segments }: RequestedSite,
  visitorSession: Session,
): Promise<Response> {
  const { request, url, env } = siteRequest;
  // A redirect would lose a request body.
  const redirect =
    request.method === 'GET'
      ? await moveCredentialsToCookies(url, env, { open, unsignedClaims: visitorSession.unsignedClaims })
      : undefined;
  if (redirect !== undefined) return redirect;
  const { session, pendingSite } = await removeUnusedClaims(siteRequest, open, visitorSession);
  if (url.searchParams.has(passParameter)) {
    const jwt = url.searchParams.get(passParameter) ?? undefined;
    return respondUncached(siteRequest, { session: { ...session, jwt } });
  }
  const admission = await admitVisitor(env, open, { ...session, segments, redirectOnError: true });
  const versionedRequest = {
    ...siteRequest,
    pendingSite,
    shownState: `${open.site.shown}-${open.site.organizationShown}`,
  };
  if (session.preview !== undefined || typeof admission !== 'object')
    return respondUncached(versionedRequest, { session });
  const visited = { open, admittedVisitor: admission, session };
  const shared = { ...versionedRequest, parts: await getKeyParts(siteRequest, visited) };
  if (request.method !== 'GET') return respondUncached(shared, visited);
  const isOpen = open.site.visibility === 'public' && Object.keys(admission.claims).length === 0;
  return respondFromCache({
    ...{ ...shared, open },
    cacheControl: isOpen ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
    render: () => renderResponse(shared, visited),
    isCacheable: ({ isCacheable }) => isCacheable === true && hasExpectedBuilds(shared),
  });
}

/**
 * Removes unsigned claims that nothing in the site depends on. Claims are part of cache keys, so a reader could
 * otherwise create a new cache entry with each request. If the used claims are not known yet, the address is resolved
 * while they are read.
 */
async function removeUnusedClaims(
  { connection, address }: SiteRequest,
  open: OpenSite,
  session: Session,
): Promise<{ session: Session; pendingSite?: Promise<FoundSite | undefined> | undefined }> {
  if (session.preview !== undefined || Object.keys(session.unsignedClaims).length === 0) return { session };
  const knownClaims = findKnownClaims(open);
  const fork = connection.fork();
  const pendingSite =
    knownClaims === undefined && address ? findSiteAt(fork.db, address, { knownSite: toKnownSite(open) }) : undefined;
  const [usedClaims] = await Promise.all([knownClaims ?? readUsedClaims(connection.db, open), pendingSite]);
  fork.join();
  return { session: { ...session, unsignedClaims: selectUsedClaims(session.unsignedClaims, usedClaims) }, pendingSite };
}

const toKnownSite = ({ site, depth }: OpenSite): KnownSite => [site.id, depth];

const noSession: Session = { jwt: undefined, preview: undefined, unsignedClaims: {} };

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
    build: env.OCTAVO_BUILD ?? '',
    contentBuild: getContentBuild(env),
    publicUrl: env.OCTAVO_PUBLIC_URL,
    sitesUrl: env.OCTAVO_SITES_URL ?? '',
    ...{ site: site.id, organizationShown: site.organizationShown, stamp: site.stamp },
    ...{ shareLink, claims, origin: url.origin, depth, path: url.pathname, query: getRelevantQuery(url) },
    form: prefersMarkdown(request) ? 'markdown' : 'html',
  };
}

/**
 * Whether the content comes from the build of the content worker that is in the cache key. After a deployment or
 * rollback of the content worker, the builds differ.
 */
const hasExpectedBuilds = ({ parts, connection }: SiteRequest & { parts: KeyParts }): boolean =>
  [...connection.builds].every((build) => build === parts.contentBuild);

/** A visitor, and the site if the visitor is admitted to it. */
type Visitor = Pick<Visited, 'session'> & Partial<Visited>;

const respondUncached = async (siteRequest: SiteRequest, visitor: Visitor): Promise<Response> =>
  (await renderResponse(siteRequest, visitor)).response;

async function renderResponse(siteRequest: SiteRequest, visitor: Visitor): Promise<RenderedResponse> {
  const { url, pendingSite } = siteRequest;
  const knownSite = visitor.open && toKnownSite(visitor.open);
  await waitForSlice();
  const loader = new PageLoader({ ...siteRequest, ...visitor });
  const { resolvePage } = loader;
  const content = await resolveUrl(siteRequest, visitor.session, url.href, { knownSite, pendingSite, resolvePage });
  if ('target' in content) return { response: respondRedirect(siteRequest, content) };
  const isRoot = content.pathname === '/' && content.basePath === content.siteBasePath;
  if (isRoot && !url.pathname.endsWith('/'))
    return {
      response: new Response(null, { status: 308, headers: { location: `${content.siteBasePath}${url.search}` } }),
    };
  const visit = createVisit(siteRequest, visitor.session, { content, loader });
  const route = findRoute(visit);
  await waitForSlice();
  const rendered = route === undefined ? await servePage(visit) : { response: await route.handler(visit) };
  const isCacheable = rendered.response.status === 200 && (route === undefined || route.isCacheable);
  return { ...rendered, isCacheable };
}

const resolveUrl = (
  { env, connection, request }: SiteRequest,
  { jwt, unsignedClaims }: Session,
  url: string,
  reads: Pick<Parameters<typeof resolveAddress>[1], 'knownSite' | 'pendingSite' | 'resolvePage'> = {},
) =>
  resolveAddress(
    { url, jwt, unsignedClaims, redirectOnError: request.method === 'GET' },
    { env, ...connection, ...reads },
  );

interface Resolved {
  content: ResolvedContent;
  /** The loader of the requested page, if the content has the requested URL. */
  loader?: PageLoader;
}

function createVisit(siteRequest: SiteRequest, session: Session, { content, loader }: Resolved): SiteVisit {
  // The address that is looked up may belong to another site.
  const isOfSite = siteRequest.parts?.site === content.site;
  const readCache = isOfSite ? createVisitorCache(siteRequest) : undefined;
  const { contentBuild } = siteRequest.parts ?? {};
  const api = createSiteApi({ ...siteRequest, token: content.apiToken, readCache, contentBuild });
  return {
    ...siteRequest,
    shownState: siteRequest.shownState ?? '',
    usedPages: new Set(),
    content,
    api,
    loaded: loader ?? {},
    documents: loader && isOfSite ? createDocumentCache({ ...siteRequest, space: content.space }) : undefined,
    search: loader?.search ?? createApiSearch(api, content),
    lookUp: (address) => lookUpAddress(siteRequest, session, address),
    findRedirect: (address) => findRedirect(siteRequest, session, address),
  };
}

async function findRedirect(
  siteRequest: SiteRequest,
  session: Session,
  address: string,
): Promise<AddressRedirect | undefined> {
  const resolved = await ignoreNotFound(() => resolveUrl(siteRequest, session, address));
  return resolved !== undefined && 'target' in resolved ? resolved : undefined;
}

async function lookUpAddress(
  siteRequest: SiteRequest,
  session: Session,
  address: string,
): Promise<SiteVisit | undefined> {
  const resolved = await ignoreNotFound(async () => {
    const first = await resolveUrl(siteRequest, session, address);
    return 'target' in first && first.target === 'content' ? resolveUrl(siteRequest, session, first.redirect) : first;
  });
  return resolved === undefined || 'target' in resolved
    ? undefined
    : createVisit(siteRequest, session, { content: resolved });
}

async function ignoreNotFound<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
