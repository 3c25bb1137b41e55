import type { Connection } from '@octavo/db';
import { createUrls, toVisitor } from '@octavo/runtime';
import type {
  Metered,
  PageReading,
  PublishedSite,
  ResolvedPage,
  Revision,
  SitePage,
  SitePageReading,
  SiteSearch,
  VersionedRevision,
} from '@octavo/schema';
import type { OpenSite } from '../resolution/find-site.ts';
import type { ResolvedContent, VisitedPage } from '../resolution/resolve-address.ts';
import { type AdmittedVisitor, getTokenExpiry } from '../resolution/visitors.ts';
import { searchSite, suggestInSite } from '../search/search.ts';
import { readPublishedSite } from '../sites/published-site.ts';
import { toSitePath } from './load-view.ts';
import { findKnownTree, toContentPath } from './navigation.ts';
import { createDocumentCache } from './rendered-documents.ts';
import { readSearchQuery } from './serve-page.ts';
import type { KeyParts, ReadCache } from './site-cache.ts';
import { createReadCache, getVisitorParts, toCacheKey } from './site-cache.ts';
import type { LoadedParts, SiteApi, SiteSearcher, SiteVisit } from './site-visit.ts';

interface LoadContext extends Pick<SiteVisit, 'url' | 'env' | 'background' | 'connection'> {
  parts?: KeyParts | undefined;
  shownState?: string;
  /** The site and the visitor, if the visitor is admitted. */
  open?: OpenSite | undefined;
  admittedVisitor?: AdmittedVisitor | undefined;
}

/** Returns the cache for data that all pages share, for visitors with the same view of the site. */
export function createVisitorCache({
  parts,
  shownState,
  background,
}: Pick<LoadContext, 'parts' | 'shownState' | 'background'>) {
  if (parts === undefined) return undefined;
  const key = `${toCacheKey(getVisitorParts(parts))} ${shownState} ${getTokenExpiry(Date.now())}`;
  return createReadCache({ site: parts.site, key, background });
}

/**
 * Loads the parts of a response as early as possible: the site and search results at once, and the page and its tree in
 * the round trip that resolves the address.
 */
export class PageLoader implements LoadedParts {
  readonly #context: LoadContext;
  readonly #readCache: ReadCache | undefined;
  readSite: LoadedParts['readSite'];
  revision: LoadedParts['revision'];
  page: LoadedParts['page'];
  readPage: LoadedParts['readPage'];
  /** Undefined if the visitor is not admitted. */
  readonly search: SiteSearcher | undefined;

  constructor(context: LoadContext) {
    const { open, admittedVisitor, parts, connection } = context;
    this.#context = context;
    this.#readCache = createVisitorCache(context);
    if (open === undefined || admittedVisitor === undefined || parts === undefined) return;
    this.search = createSearch(context, { site: open.site.id, claims: admittedVisitor.claims });
    this.readSite = startRead(connection, (fork) => this.#readSite(open, admittedVisitor, fork));
  }

  async #readSite(
    { site }: OpenSite,
    { claims, shareKey, shareLink }: AdmittedVisitor,
    connection: Connection,
  ): Promise<PublishedSite | undefined> {
    const { env } = this.#context;
    const { id, organization, stamp } = site;
    const path = toSitePath({ organization, site: id, ...(shareKey === undefined ? {} : { shareKey }) });
    return this.#readCache?.get(path, async () => {
      const token = { organization, site: id, stamp, claims, expires: getTokenExpiry(Date.now()) };
      const visitor = await toVisitor({ ...token, ...(shareLink === undefined ? {} : { shareLink }) }, site);
      const context = { ...connection, env, site, visitor, urls: createUrls(env) };
      return JSON.stringify(await readPublishedSite(shareKey, context));
    });
  }

  /**
   * Resolves addresses, and reads the page with the tree of its space unless the tree is cached. One round trip; none
   * if the tree is known and the document was rendered before.
   */
  resolvePage = async (page: VisitedPage, addresses: PageReading[]): Promise<(ResolvedPage | null)[]> => {
    const result = Promise.withResolvers<ReadSitePage>();
    let hasTree = this.#readCache === undefined;
    const readTree = async () => {
      hasTree = true;
      const { revision, isOfBuild } = await result.promise;
      return isOfBuild ? decode(revision) : undefined;
    };
    const path = `${toContentPath(`/v1/spaces/${page.space}`)}&revision=${page.point.id}`;
    const known = findCurrentPage(page, addresses, this.#readCache?.find<Revision>(path));
    const tree = this.#readCache?.get<VersionedRevision>(path, readTree);
    const read = () => this.#readSitePage({ ...page, addresses: known ? [] : addresses, page: known?.page, hasTree });
    const documents = createDocumentCache({ ...this.#context, space: page.space });
    if (known && !hasTree && !page.hasAlternates && (await documents?.load(known.page))) {
      this.revision = await tree;
      this.readPage = async () => toLoadedPage(await read());
      return [known];
    }
    read().then(result.resolve, result.reject);
    const [sitePage, cachedTree] = await Promise.all([result.promise, tree]);
    this.revision = cachedTree ?? (sitePage.revision && parse<VersionedRevision>(sitePage.revision));
    this.page = toLoadedPage(sitePage);
    return known ? [known] : sitePage.addresses;
  };

  async #readSitePage(reading: SitePageReading): Promise<ReadSitePage> {
    const { env, connection, parts } = this.#context;
    let isOfBuild = false;
    const page = await connection.callWorker(async (bookmark) => {
      const result = await env.CONTENT.readSitePage(reading, bookmark).catch((error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return resolveOnly(env.CONTENT.resolvePages(reading.addresses, bookmark));
      });
      isOfBuild = result.build === parts?.contentBuild;
      return result;
    });
    return { ...page, isOfBuild };
  }
}

/** `isOfBuild` is true if the page was read by the build of the content worker that is in the cache key. */
type ReadSitePage = SitePage & { isOfBuild: boolean };

const toLoadedPage = ({ page, isOfBuild }: ReadSitePage): LoadedParts['page'] =>
  page && { ...page, document: parse(page.document), isTraceable: isOfBuild && page.isTraceable === true };

/** Finds the page that is now at the requested path in the tree of the space, if the tree is known. */
function findCurrentPage(
  { path }: VisitedPage,
  [address]: PageReading[],
  revision: Revision | undefined,
): ResolvedPage | undefined {
  if (path === undefined || path === '' || address?.anchor !== '') return undefined;
  const page = revision && findKnownTree(revision)?.findPage(path);
  return page === undefined || page.computed !== undefined ? undefined : { page: page.id, path, isOld: false };
}

/** Whether a worker of the previous release, which does not have the method yet, was called. */
const isUnknownMethod = (error: unknown): boolean => String(error).includes('does not implement the method');

/** Returns only resolved addresses. The other parts are then read through the API. */
async function resolveOnly(call: Promise<Metered<SitePage['addresses']>>): Promise<Metered<SitePage>> {
  const { value, ...result } = await call;
  return { ...result, value: { addresses: value } };
}

const ignore = () => undefined;

/** Starts a read whose result may never be used. Returns a function that waits for it. */
function startRead<Value>(connection: Connection, read: (fork: Connection) => Promise<Value>): () => Promise<Value> {
  const fork = connection.fork();
  const result = read(fork);
  result.catch(ignore);
  let joined: Promise<Value> | undefined;
  const join = async () => {
    const value = await result;
    fork.join();
    return value;
  };
  return () => {
    joined ??= join();
    return joined;
  };
}

const decoder = new TextDecoder();

const decode = (json: Uint8Array | undefined): string | undefined => json && decoder.decode(json);

const parse = <Value>(json: Uint8Array): Value => JSON.parse(decoder.decode(json)) as Value;

/** Number of pages that a search returns. */
const maxHits = 30;
const maxSuggestions = 8;

/** Searches as an admitted visitor. The search that the URL requests starts at once. */
function createSearch({ env, connection, url }: LoadContext, visit: Pick<SiteSearch, 'site' | 'claims'>): SiteSearcher {
  const whole = { ...visit, user: null, scope: { mode: 'all' as const } };
  const start = {
    pages: (query: string) =>
      startRead(connection, (fork) => searchSite({ ...whole, query, limit: maxHits }, { env, ...fork })),
    titles: (query: string) =>
      startRead(connection, (fork) => suggestInSite({ ...whole, query, limit: maxSuggestions }, { env, ...fork })),
  };
  const typed = readSearchQuery({ url });
  const isRequestFor = (path: string) => typed !== '' && url.pathname.endsWith(path);
  const pages = isRequestFor('/~/search') ? start.pages(typed) : undefined;
  const titles = isRequestFor('/~/search.json') ? start.titles(typed) : undefined;
  return {
    pages: (query) => (query === typed && pages ? pages : start.pages(query))(),
    titles: (query) => (query === typed && titles ? titles : start.titles(query))(),
  };
}

/** Searches through the API with the rights of the visit, for previews. */
export function createApiSearch(api: SiteApi, { organization, site }: ResolvedContent): SiteSearcher {
  const path = `/v1/orgs/${organization}/sites/${site}/search`;
  const scope = { mode: 'all' };
  return {
    pages: (query) => api.post(`${path}?limit=${maxHits}`, { query, scope }),
    titles: (query) => api.post(`${path}/suggestions`, { query, scope }),
  };
}
