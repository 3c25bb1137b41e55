import type { ShownDocument } from '@octavo/reader';
import type { Background } from '@octavo/runtime';
import { addCost, forward, implement, readGatewayContext, testKeyHeader, waitForSlice } from '@octavo/runtime';
import type { Cost, Metered, RevisionId, SpaceId, VisitedDocuments, VisitedTexts } from '@octavo/schema';
import { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { handlers } from '../handlers.ts';
import type { AddressRedirect, ResolvedContent } from '../resolution/resolve-address.ts';

/** A request of an admitted visitor to a site. */
export interface SiteVisit {
  request: Request;
  /** The requested URL, on the server's host if the site has no host. */
  url: URL;
  env: PublishingEnvironment;
  background: Background;
  /** The resolved address. `pathname` is the path within the space; `complete` is true if it is a page. */
  content: ResolvedContent;
  api: SiteApi;
  /** The version of the content of the site and its organization. */
  shownState: string;
  /** Resolves another URL for the same visitor; undefined if the visitor cannot see anything there. */
  lookUp: (address: string) => Promise<SiteVisit | undefined>;
  /** Returns the redirect of another URL for the same visitor. */
  findRedirect: (address: string) => Promise<AddressRedirect | undefined>;
}

/** The API with the visitor's rights, so that pages never show more than the visitor may see. */
export interface SiteApi {
  /** Returns the body of a response; undefined for 404. @throws Error for other statuses */
  get<Answer>(path: string): Promise<Answer | undefined>;
  /** Like `get`, but cached for all visitors with the same view of the site. */
  getCached<Answer>(path: string): Promise<Answer | undefined>;
  /**
   * Returns the response itself, for large bodies: 304 if `heldTag` is current, undefined for 404. @throws Error for
   * other statuses
   */
  open(path: string, heldTag?: string): Promise<Response | undefined>;
  post<Answer>(path: string, body: object): Promise<Answer | undefined>;
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
  /** The calls add their costs to this object. */
  cost: Cost;
  /** Reads a path through a cache; undefined if nothing may be cached. */
  readCache?:
    | (<Answer>(path: string, fetchResponse: () => Promise<Response | undefined>) => Promise<Answer | undefined>)
    | undefined;
}

const endpoints = implement<typeof publishing, PublishingEnvironment>(publishing, handlers);

export function createSiteApi({ request, env, background, token, cost, readCache }: ApiCall): SiteApi {
  const { requestId, address } = readGatewayContext(request);
  const context = { requestId, address };
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const testKey = request.headers.get(testKeyHeader);
  if (testKey !== null) headers.set(testKeyHeader, testKey);
  const send = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    const apiRequest = new Request(new URL(path, env.OCTAVO_PUBLIC_URL), init);
    await waitForSlice();
    const isOrganizationPath = /^\/v1\/orgs\//.test(path);
    const response = await (isOrganizationPath
      ? endpoints.fetch(apiRequest, env, background)
      : forward(apiRequest, env.CONTENT_API, context));
    addCost(cost, response.headers);
    if (response.ok || response.status === 304) return response;
    const text = await response.text();
    if (response.status === 404) return undefined;
    throw new Error(`The API returned ${response.status} for ${path}: ${text.slice(0, 300)}`);
  };
  const ask = async <Answer>(path: string, init: RequestInit): Promise<Answer | undefined> =>
    (await send(path, init))?.json<Answer>();
  const spend = <Value>({ value, cost: callCost }: Metered<Value>): Value => {
    for (const field of ['trips', 'rowsRead', 'rowsWritten'] as const) cost[field] += callCost[field];
    return value;
  };
  const get: SiteApi['get'] = (path) => ask(path, { headers });
  const getCached = async <Answer>(path: string): Promise<Answer | undefined> => {
    const shared = await readCache?.<Answer>(path, () => send(path, { headers }));
    return shared ?? get<Answer>(path);
  };
  return {
    ...{ get, getCached },
    texts: async (request) =>
      spend(await env.CONTENT.readShownTexts({ ...request, token })).map((text) => text ?? undefined),
    documents: async (request) =>
      spend(await env.CONTENT.readShownDocuments({ ...request, token })).map((text) =>
        text === null ? undefined : (JSON.parse(text) as ShownDocument),
      ),
    file: async (request) => spend(await env.CONTENT.readBookFile(request))?.bytes,
    open: (path, heldTag) => send(path, { headers: createConditionalHeaders(headers, heldTag) }),
    post: (path, body) => ask(path, sendRequest(headers, body)),
  };
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
