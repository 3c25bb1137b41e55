import { getLatestBookmark } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { deriveText, LruMap, log } from '@octavo/runtime';
import type { SiteId } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { OpenSite, SiteAddress } from '../resolution/find-site.ts';

/** Sizes in bytes. The limit per site keeps one site from evicting all others. */
interface CacheSizes<Entry> {
  maxBytes: number;
  maxBytesPerSite: number;
  getBytes: (entry: Entry) => number;
  /** Whether an entry can still be used. By default, all can. */
  isCurrent?: (entry: Entry) => boolean;
}

/** Estimated overhead of an entry, besides its body and key. */
const entryBytes = 512;

interface EntrySource<Entry> {
  /** Creates the entry; undefined if it must not be cached. */
  load: () => Promise<Entry | undefined>;
  background: Background;
  /** The version of the site. Only requests at the same version share a call of `load`. */
  shown?: number;
  /** Whether an entry can be used for this request. By default, all can. */
  isUsable?: (entry: Entry) => boolean;
}

/** Maximum time to wait for an entry that another request creates, since that request may be aborted. */
const maxWaitMilliseconds = 10_000;

async function withTimeout<Entry>(entry: Promise<Entry | undefined>): Promise<Entry | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(timeout.resolve, maxWaitMilliseconds);
  try {
    return await Promise.race([entry, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface SiteEntries<Entry> {
  entries: Map<string, Entry>;
  bytes: number;
}

/**
 * An LRU cache with a limit per site. Keys contain everything that an entry depends on, so entries are not invalidated:
 * each change results in another key. If keys do not contain the version of a site, `isUsable` checks it.
 */
export class SiteCache<Entry> {
  readonly #sizes: CacheSizes<Entry>;
  readonly #sites = new Map<string, SiteEntries<Entry>>();
  readonly #pending = new Map<string, Promise<Entry | undefined>>();
  #bytes = 0;

  constructor(sizes: CacheSizes<Entry>) {
    this.#sizes = sizes;
  }

  #getSize(key: string, entry: Entry): number {
    return this.#sizes.getBytes(entry) + key.length + entryBytes;
  }

  /** Returns the entry of a key. Concurrent requests share one call of `load`. */
  async get(site: string, key: string, source: EntrySource<Entry>): Promise<Entry | undefined> {
    const cached = this.find(site, key);
    if (cached !== undefined && source.isUsable?.(cached) !== false) return cached;
    const version = `${key} ${source.shown}`;
    const pending = this.#pending.get(version);
    if (pending !== undefined) {
      const entry = await withTimeout(pending);
      // After a timeout, the next request creates the entry.
      if (entry === undefined && this.#pending.get(version) === pending) this.#pending.delete(version);
      return entry;
    }
    const entry = this.#load(site, key, source).finally(() => this.#pending.delete(version));
    this.#pending.set(version, entry);
    // The first request may be aborted while others wait.
    source.background.waitUntil(entry.catch(() => undefined));
    return entry;
  }

  async #load(site: string, key: string, { load }: EntrySource<Entry>): Promise<Entry | undefined> {
    const entry = await load();
    if (entry !== undefined) this.store(site, key, entry);
    return entry;
  }

  /** Returns the entry of a key and marks it as most recently used. */
  find(site: string, key: string): Entry | undefined {
    const pages = this.#sites.get(site);
    const entry = pages?.entries.get(key);
    if (pages === undefined || entry === undefined) return undefined;
    if (this.#sizes.isCurrent?.(entry) === false) {
      this.#delete(pages, key, entry);
      return undefined;
    }
    pages.entries.delete(key);
    pages.entries.set(key, entry);
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    return entry;
  }

  store(site: string, key: string, entry: Entry): void {
    const { maxBytes, maxBytesPerSite } = this.#sizes;
    const size = this.#getSize(key, entry);
    if (size > maxBytesPerSite) return;
    const pages = this.#sites.get(site) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    const replaced = pages.entries.get(key);
    if (replaced !== undefined) this.#delete(pages, key, replaced);
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    pages.entries.set(key, entry);
    this.#add(pages, size);
    while (pages.bytes > maxBytesPerSite) this.#drop(pages);
    for (const [oldest, others] of this.#sites) {
      if (this.#bytes <= maxBytes) break;
      while (this.#bytes > maxBytes && others.bytes > 0) this.#drop(others);
      if (others.bytes === 0) this.#sites.delete(oldest);
    }
  }

  #add(pages: SiteEntries<Entry>, bytes: number): void {
    pages.bytes += bytes;
    this.#bytes += bytes;
  }

  #drop(pages: SiteEntries<Entry>): void {
    for (const [key, entry] of pages.entries) {
      this.#delete(pages, key, entry);
      return;
    }
  }

  #delete(pages: SiteEntries<Entry>, key: string, entry: Entry): void {
    pages.entries.delete(key);
    this.#add(pages, -this.#getSize(key, entry));
  }
}

/**
 * Everything a response of a site depends on, except for the version of the site and the expiry of the URLs that it
 * contains.
 */
export interface KeyParts {
  /** The build of the publishing worker, and its configured addresses. */
  build: string;
  /** The build of the content worker. */
  contentBuild: string;
  publicUrl: string;
  sitesUrl: string;
  site: string;
  /** Version of the content that all sites of the organization share. */
  organizationShown: number;
  /** Changes with the site's audience. */
  stamp: string;
  shareLink: string;
  /** The claims of the visitor. */
  claims: object;
  origin: string;
  /** The number of path segments in the site's address. */
  depth: number;
  path: string;
  /** The query, for routes other than pages. */
  query: string;
  form: 'html' | 'markdown';
}

const keyParts = [
  ...(['build', 'contentBuild', 'publicUrl', 'sitesUrl', 'site', 'organizationShown', 'stamp'] as const),
  ...(['shareLink', 'claims', 'origin', 'depth', 'path', 'query', 'form'] as const),
] satisfies (keyof KeyParts)[];

/** Removes the parts that depend on the requested path. */
export const getVisitorParts = (parts: KeyParts): KeyParts => ({
  ...parts,
  depth: 0,
  path: '',
  query: '',
  form: 'html',
});

export const toCacheKey = (parts: KeyParts): string => JSON.stringify(keyParts.map((name) => parts[name]));

/** An API response and its length as JSON. */
interface CachedRead {
  value: unknown;
  length: number;
}

const mebibyte = 1024 * 1024;
const reads = new SiteCache<CachedRead>({
  maxBytes: 16 * mebibyte,
  maxBytesPerSite: 8 * mebibyte,
  getBytes: ({ length }) => length,
});

interface ReadCacheContext {
  site: SiteId;
  /** Identifies the site's content and the visitor's view of it. */
  key: string;
  background: Background;
}

export interface ReadCache {
  /** Returns the parsed JSON that is cached for a path, or loads it. */
  get<Resource>(path: string, loadJson: () => Promise<string | undefined>): Promise<Resource | undefined>;
  /** Returns the parsed JSON if it is cached. */
  find<Resource>(path: string): Resource | undefined;
}

/**
 * Creates a cache for API responses that many pages share. Callers must not modify the values. Returns undefined if
 * there is nothing at the path, or if waiting for another request timed out.
 */
export const createReadCache = ({ site, key, background }: ReadCacheContext): ReadCache => ({
  get: async <Resource>(path: string, loadJson: () => Promise<string | undefined>) => {
    const load = async (): Promise<CachedRead | undefined> => {
      const text = await loadJson();
      return text === undefined ? undefined : { value: JSON.parse(text), length: text.length };
    };
    const cached = await reads.get(site, `${key} ${path}`, { load, background });
    return cached?.value as Resource | undefined;
  },
  find: <Resource>(path: string) => reads.find(site, `${key} ${path}`)?.value as Resource | undefined,
});

const sharedMaxAgeSeconds = 30 * 24 * 3600;

/**
 * Returns the URL under which the data center caches a response. The cache ignores hosts and cookies of requests, so the
 * URL is derived from everything that the response depends on, and from the secret, so that it cannot be guessed.
 */
const toSharedUrl = async (env: PublishingEnvironment, key: string): Promise<string> =>
  new URL(`/~/cached/${await deriveText(env, `cached response\n${key}`)}`, env.OCTAVO_PUBLIC_URL).href;

/** Returns an entry of the cache; undefined also if it cannot be read, for example because it is damaged. */
export async function readSharedEntry<Entry>(
  env: PublishingEnvironment,
  key: string,
  read: (stored: Response) => Promise<Entry>,
): Promise<Entry | undefined> {
  try {
    const stored = await caches.default.match(await toSharedUrl(env, key));
    return stored && (await read(stored));
  } catch (error) {
    return logSharedCacheFailure(error);
  }
}

/** Stores an entry with these headers. No code deletes it before it expires. */
export async function storeSharedEntry(
  env: PublishingEnvironment,
  key: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<void> {
  const stored = new Response(body, {
    headers: {
      'cache-control': `public, max-age=${sharedMaxAgeSeconds}`,
      'content-type': 'application/octet-stream',
      ...headers,
    },
  });
  await caches.default.put(await toSharedUrl(env, key), stored).catch(logSharedCacheFailure);
}

/** Reads a text from the cache that all isolates of a data center share. */
export const findSharedText = (env: PublishingEnvironment, key: string): Promise<string | undefined> =>
  readSharedEntry(env, key, (stored) => stored.text());

/** Stores a text in the cache that all isolates of a data center share. */
export const storeSharedText = (env: PublishingEnvironment, key: string, text: string): Promise<void> =>
  storeSharedEntry(env, key, text);

/** Pages are rendered again if the cache fails. */
function logSharedCacheFailure(error: unknown): undefined {
  log('warn', 'the cache of the data center failed', { error: String(error) });
}

/** A site as this isolate has read it. */
interface RecentSite {
  open: OpenSite;
  /** The state of the database at which the site was read. */
  bookmark: string | null;
  /** The time in milliseconds until which the site is used without reading it again. */
  until: number;
  /** The version of the database before the site was read, on one machine. While it is the same, the site is current. */
  state: string | undefined;
}

const maxSites = 1000;

const recentSites = new LruMap<RecentSite>(maxSites);

/**
 * Returns the time in milliseconds for which sites are used without reading them again. It is zero on one machine,
 * where sites are read again after each change of the database, so responses are never stale.
 */
const getMaxAge = ({ DB, OCTAVO_SITE_MAX_AGE: seconds = '0' }: PublishingEnvironment): number =>
  DB.getState === undefined ? Number(seconds) * 1000 : 0;

/** Whether data centers share cached pages. */
export const hasSharedCache = (env: PublishingEnvironment): boolean => getMaxAge(env) > 0;

/** Whether a bookmark is at least as new as the one that the visitor has seen. */
const isAtLeastAsNew = (bookmark: string | null, seen: string | undefined): boolean =>
  seen === undefined || (bookmark !== null && getLatestBookmark(bookmark, seen) === bookmark);

/**
 * Returns the parts of an address that determine its site: paths of a host that several sites share, and the keys of
 * share links.
 */
const toKey = ({ candidates, hashes }: SiteAddress, sharesHost: boolean, hasKey: boolean): string =>
  JSON.stringify([
    [sharesHost, hasKey],
    sharesHost ? candidates : candidates.filter(({ by }) => by !== 'proxy'),
    hasKey ? hashes : [],
  ]);

const both = [false, true];

interface Reading {
  /** The bookmark of the visitor's own writes. */
  seen: string | undefined;
  /** The version of the database, on one machine. */
  state: string | undefined;
}

const isRecent = (recent: RecentSite, { seen, state }: Reading): boolean =>
  state === undefined ? recent.until > Date.now() && isAtLeastAsNew(recent.bookmark, seen) : recent.state === state;

/** Returns the site of an address if this isolate has read it recently, and not before the visitor's own writes. */
export function findRecentSite(address: SiteAddress, reading: Reading): RecentSite | undefined {
  for (const sharesHost of both)
    for (const hasKey of both) {
      const recent = recentSites.get(toKey(address, sharesHost, hasKey));
      if (recent !== undefined && isRecent(recent, reading)) return recent;
    }
  return undefined;
}

/** Stores a site that was read at a bookmark. */
export function addRecentSite(
  env: PublishingEnvironment,
  address: SiteAddress,
  { open, bookmark, state }: Omit<RecentSite, 'until'>,
): void {
  const maxAge = getMaxAge(env);
  const hasKey = open.site.visibility === 'share-link';
  // Addresses with wrong keys would fill the cache.
  if ((maxAge === 0 && state === undefined) || (hasKey && open.links.length === 0)) return;
  recentSites.set(toKey(address, open.sharesHost, hasKey), { open, bookmark, state, until: Date.now() + maxAge });
}
