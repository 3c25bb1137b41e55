import type { Connection } from '@octavo/db';
import type { ShownDocument } from '@octavo/reader';
import type { Background } from '@octavo/runtime';
import {
  bookmarkHeader,
  buildHeader,
  forward,
  implement,
  readCost,
  readGatewayContext,
  testKeyHeader,
  waitForSlice,
} from '@octavo/runtime';
import type {
  PageMetaLinks,
  PublishedSite,
  RevisionId,
  SearchList,
  SpaceId,
  SpaceSearchResult,
  SuggestionList,
  VersionedRevision,
  VisitedDocuments,
  VisitedTexts,
} from '@octavo/schema';
import { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { handlers } from '../handlers.ts';
import type { AddressRedirect, ResolvedContent } from '../resolution/resolve-address.ts';
import type { DocumentCache } from './rendered-documents.ts';
import type { ReadCache } from './site-cache.ts';

/** A request of an admitted visitor to a site. */
export interface SiteVisit {
  request: Request;
  /** The requested URL, on the server's host if the site has no host. */
  url: URL;
  env: PublishingEnvironment;
  background: Background;
  connection: Connection;
  /** The resolved address. `pathname` is the path within the space; `complete` is true if it is a page. */
  content: ResolvedContent;
  api: SiteApi;
  loaded: LoadedParts;
  /** The rendered documents of the space; undefined if nothing may be cached. */
  documents?: DocumentCache | undefined;
  search: SiteSearcher;
  /** The version of the content of the site and its organization. */
  shownState: string;
  /** The other pages on whose texts the response depends. */
  usedPages: Set<string>;
  /** Resolves another URL for the same visitor; undefined if the visitor cannot see anything there. */
  lookUp: (address: string) => Promise<SiteVisit | undefined>;
  /** Returns the redirect of another URL for the same visitor. */
  findRedirect: (address: string) => Promise<AddressRedirect | undefined>;
}

/** The parts of a response that were read before or with the address. */
export interface LoadedParts {
  /** Waits for the site. */
  readSite?: (() => Promise<PublishedSite | undefined>) | undefined;
  revision?: VersionedRevision | undefined;
  page?: LoadedPage | undefined;
  /** Reads the page, if it was not read with the address because its document may be rendered already. */
  readPage?: (() => Promise<LoadedPage | undefined>) | undefined;
}

interface LoadedPage {
  id: string;
  document: ShownDocument;
  alternates: PageMetaLinks['alternates'];
  /** Whether the rendered document may be cached. */
  isTraceable: boolean;
}

/** Searches the site as the visitor. */
export interface SiteSearcher {
  pages(query: string): Promise<SearchList<SpaceSearchResult> | undefined>;
  /** Finds titles and headings. */
  titles(query: string): Promise<SuggestionList | undefined>;
}

/** The API with the visitor's rights, so that pages never show more than the visitor may see. */
export interface SiteApi {
  /** Returns the body of a response; undefined for 404. @throws Error for other statuses */
  get<Resource>(path: string): Promise<Resource | undefined>;
  /** Like `get`, but cached for all visitors with the same view of the site. */
  getCached<Resource>(path: string): Promise<Resource | undefined>;
  /**
   * Returns the response itself, for large bodies: 304 if `heldTag` is current, undefined for 404. @throws Error for
   * other statuses
   */
  open(path: string, heldTag?: string): Promise<Response | undefined>;
  post<Resource>(path: string, body: object): Promise<Resource | undefined>;
  /** The texts of pages; undefined for those hidden from the visitor. */
  texts(request: Omit<VisitedTexts, 'token'>): Promise<(string | undefined)[]>;
  /** The bytes of a file of a revision that the visitor can see; undefined if it is too large. */
  file(request: { space: SpaceId; revision: RevisionId; file: string }): Promise<Uint8Array | undefined>;
  /** The documents of pages; undefined for those hidden from the visitor. */
  documents(request: Omit<VisitedDocuments, 'token'>): Promise<(ShownDocument | undefined)[]>;
}

interface ApiCall {
  request: Request;
  env: PublishingEnvironment;
  background: Background;
  /** The visitor's token. */
  token: string;
  /** The connection whose state the calls read. Each call adds its cost and the build of its worker to it. */
  connection: Connection;
  /** Undefined if nothing may be cached. */
  readCache?: ReadCache | undefined;
  /** The build of the content worker whose responses may be cached. */
  contentBuild?: string | undefined;
}

/** Whether this worker itself serves an API path. */
const isOfOrganization = (path: string): boolean => /^\/v1\/orgs\//.test(path);

const endpoints = implement<typeof publishing, PublishingEnvironment>(publishing, handlers);

let reportedBuild: string | undefined;

/** Records the build of the content worker, unless several builds were called for the response. */
export function recordContentBuild({ builds }: Connection): void {
  if (builds.size === 1) [reportedBuild] = builds;
}

/** Returns the last build that the content worker reported, or else the build that is deployed with this worker. */
export const getContentBuild = ({ OCTAVO_BUILD: build = '' }: PublishingEnvironment): string =>
  reportedBuild ?? build.split('.').at(-1) ?? '';

const readBuild = (response: Response | undefined): string => response?.headers.get(buildHeader) ?? '';

export function createSiteApi(call: ApiCall): SiteApi {
  const { request, env, background, token, connection, readCache, contentBuild } = call;
  const { requestId, address } = readGatewayContext(request);
  const context = { requestId, address };
  const headers = createHeaders(request, token);
  const send = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    const apiRequest = new Request(new URL(path, env.OCTAVO_PUBLIC_URL), init);
    await waitForSlice();
    const isOrganizationPath = isOfOrganization(path);
    const response = await connection.callWorker(async (bookmark) => {
      if (bookmark !== null) apiRequest.headers.set(bookmarkHeader, bookmark);
      const value = await (isOrganizationPath
        ? endpoints.fetch(apiRequest, env, background)
        : forward(apiRequest, env.CONTENT_API, context));
      const build = isOrganizationPath ? null : readBuild(value);
      return { value, cost: readCost(value.headers), bookmark: value.headers.get(bookmarkHeader), build };
    });
    if (response.ok || response.status === 304) return response;
    const text = await response.text();
    if (response.status === 404) return undefined;
    throw new Error(`The API returned ${response.status} for ${path}: ${text.slice(0, 300)}`);
  };
  const ask = async <Resource>(path: string, init: RequestInit): Promise<Resource | undefined> =>
    (await send(path, init))?.json<Resource>();
  const { callWorker } = connection;
  const get: SiteApi['get'] = (path) => ask(path, { headers });
  const getCached = async <Resource>(path: string): Promise<Resource | undefined> => {
    const sendForCache = async (): Promise<string | undefined> => {
      const response = await send(path, { headers });
      return isOfOrganization(path) || readBuild(response) === contentBuild ? response?.text() : undefined;
    };
    const shared = await readCache?.get<Resource>(path, sendForCache);
    return shared ?? get<Resource>(path);
  };
  return {
    ...{ get, getCached },
    texts: async (request) =>
      (await callWorker((bookmark) => env.CONTENT.readShownTexts({ ...request, token }, bookmark))).map(
        (text) => text ?? undefined,
      ),
    documents: async (request) =>
      (await callWorker((bookmark) => env.CONTENT.readShownDocuments({ ...request, token }, bookmark))).map((text) =>
        text === null ? undefined : (JSON.parse(text) as ShownDocument),
      ),
    file: async (request) => (await callWorker((bookmark) => env.CONTENT.readBookFile(request, bookmark)))?.bytes,
    open: (path, heldTag) => send(path, { headers: createConditionalHeaders(headers, heldTag) }),
    post: (path, body) => ask(path, sendRequest(headers, body)),
  };
}

function createHeaders(request: Request, token: string): Headers {
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const testKey = request.headers.get(testKeyHeader);
  if (testKey !== null) headers.set(testKeyHeader, testKey);
  return headers;
}

function createConditionalHeaders(headers: Headers, tag: string | undefined): Headers {
  const all = new Headers(headers);
  if (tag !== undefined) all.set('if-none-match', tag);
  return all;
}

function sendRequest(headers: Headers, body: object): RequestInit {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  return { method: 'POST', headers: all, body: JSON.stringify(body) };
}
