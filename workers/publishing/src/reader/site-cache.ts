import type { Background } from '@octavo/runtime';
import type { SiteId } from '@octavo/schema';

/** Sizes in bytes. The limit per site keeps one site from evicting all others. */
interface CacheSizes<Entry> {
  maxBytes: number;
  maxBytesPerSite: number;
  getBytes: (entry: Entry) => number;
}

/** Estimated overhead of an entry, besides its body and key. */
const entryBytes = 512;

interface EntrySource<Entry> {
  /** Creates the entry; undefined if it must not be cached. */
  load: () => Promise<Entry | undefined>;
  background: Background;
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
 * An LRU cache with a limit per site. Keys contain everything that an entry depends on, so entries are never
 * invalidated: each change results in another key.
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
    if (cached !== undefined) return cached;
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      const entry = await withTimeout(pending);
      // After a timeout, the next request creates the entry.
      if (entry === undefined && this.#pending.get(key) === pending) this.#pending.delete(key);
      return entry;
    }
    const entry = this.#load(site, key, source);
    this.#pending.set(key, entry);
    // The first request may be aborted while others wait.
    source.background.waitUntil(entry.catch(() => undefined));
    return entry;
  }

  async #load(site: string, key: string, { load }: EntrySource<Entry>): Promise<Entry | undefined> {
    try {
      const entry = await load();
      if (entry !== undefined) this.#store(site, key, entry);
      return entry;
    } finally {
      this.#pending.delete(key);
    }
  }

  /** Returns the entry of a key and marks it as most recently used. */
  find(site: string, key: string): Entry | undefined {
    const pages = this.#sites.get(site);
    const entry = pages?.entries.get(key);
    if (pages === undefined || entry === undefined) return undefined;
    pages.entries.delete(key);
    pages.entries.set(key, entry);
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    return entry;
  }

  #store(site: string, key: string, entry: Entry): void {
    const { maxBytes, maxBytesPerSite } = this.#sizes;
    const size = this.#getSize(key, entry);
    if (size > maxBytesPerSite) return;
    const pages = this.#sites.get(site) ?? { entries: new Map<string, Entry>(), bytes: 0 };
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
      pages.entries.delete(key);
      this.#add(pages, -this.#getSize(key, entry));
      return;
    }
  }
}

/** Everything a response of a site depends on. */
export interface KeyParts {
  /** The software version and its configured addresses. */
  build: string;
  publicUrl: string;
  sitesUrl: string;
  site: string;
  /** Version of the site's published content, and version of the content that all sites of its organization share. */
  shown: number;
  organizationShown: number;
  /** Changes with the site's audience. */
  stamp: string;
  shareLink: string;
  /** The claims of the visitor. */
  claims: object;
  /** The expiry of the visitor's token. */
  expires: number;
  origin: string;
  /** The number of path segments in the site's address. */
  depth: number;
  path: string;
  /** The query, for routes other than pages. */
  query: string;
  form: 'html' | 'markdown';
}

const keyParts = [
  ...(['build', 'publicUrl', 'sitesUrl', 'site', 'shown', 'organizationShown', 'stamp'] as const),
  ...(['shareLink', 'claims', 'expires', 'origin', 'depth', 'path', 'query', 'form'] as const),
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

/**
 * Creates a cache for API responses that many pages share. Callers must not modify the values. Returns undefined if
 * there is nothing at the path, or if waiting for another request timed out.
 */
export const createReadCache =
  ({ site, key, background }: ReadCacheContext) =>
  async <Answer>(path: string, fetchResponse: () => Promise<Response | undefined>): Promise<Answer | undefined> => {
    const load = async (): Promise<CachedRead | undefined> => {
      const text = await (await fetchResponse())?.text();
      return text === undefined ? undefined : { value: JSON.parse(text), length: text.length };
    };
    const cached = await reads.get(site, `${key} ${path}`, { load, background });
    return cached?.value as Answer | undefined;
  };
