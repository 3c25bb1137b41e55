import type { Background } from '@octavo/runtime';
import type { SiteId } from '@octavo/schema';

/** Sizes in bytes. The limit of one site keeps it from evicting all others. */
interface CacheSizes<Kept> {
  most: number;
  mostOfSite: number;
  bytesOf: (kept: Kept) => number;
}

/** The size of an entry besides its body and key. */
const entryBytes = 512;

interface Making<Kept> {
  /** Creates the entry; undefined if the result must not be cached. */
  make: () => Promise<Kept | undefined>;
  background: Background;
}

/** How long a request waits for an entry that another one creates, since that request may have been aborted. */
const patienceMilliseconds = 10_000;

async function withTimeout<Kept>(made: Promise<Kept | undefined>): Promise<Kept | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, patienceMilliseconds);
  try {
    return await Promise.race([made, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface OfSite<Kept> {
  entries: Map<string, Kept>;
  bytes: number;
}

/**
 * An LRU cache with a limit for each site. Keys contain everything an entry depends on, so entries are never invalidated: a
 * change leads to another key.
 */
export class SiteCache<Kept> {
  readonly #sizes: CacheSizes<Kept>;
  readonly #sites = new Map<string, OfSite<Kept>>();
  readonly #pending = new Map<string, Promise<Kept | undefined>>();
  #bytes = 0;

  constructor(sizes: CacheSizes<Kept>) {
    this.#sizes = sizes;
  }

  #sizeOf(key: string, kept: Kept): number {
    return this.#sizes.bytesOf(kept) + key.length + entryBytes;
  }

  /** Returns the entry of a key. Concurrent requests share one call of `make`. */
  async get(site: string, key: string, making: Making<Kept>): Promise<Kept | undefined> {
    const known = this.find(site, key);
    if (known !== undefined) return known;
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      const answer = await withTimeout(pending);
      // After a timeout, the next request creates the entry.
      if (answer === undefined && this.#pending.get(key) === pending) this.#pending.delete(key);
      return answer;
    }
    const made = this.#make(site, key, making);
    this.#pending.set(key, made);
    // The first request may end early while others still wait.
    making.background.waitUntil(made.catch(() => undefined));
    return made;
  }

  async #make(site: string, key: string, { make }: Making<Kept>): Promise<Kept | undefined> {
    try {
      const answer = await make();
      if (answer !== undefined) this.#keep(site, key, answer);
      return answer;
    } finally {
      this.#pending.delete(key);
    }
  }

  /** Returns the entry of a key and marks it as most recently used. */
  find(site: string, key: string): Kept | undefined {
    const pages = this.#sites.get(site);
    const answer = pages?.entries.get(key);
    if (pages === undefined || answer === undefined) return undefined;
    pages.entries.delete(key);
    pages.entries.set(key, answer);
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    return answer;
  }

  #keep(site: string, key: string, answer: Kept): void {
    const { most, mostOfSite } = this.#sizes;
    const size = this.#sizeOf(key, answer);
    if (size > mostOfSite) return;
    const pages = this.#sites.get(site) ?? { entries: new Map<string, Kept>(), bytes: 0 };
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    pages.entries.set(key, answer);
    this.#add(pages, size);
    while (pages.bytes > mostOfSite) this.#drop(pages);
    for (const [oldest, others] of this.#sites) {
      if (this.#bytes <= most) break;
      while (this.#bytes > most && others.bytes > 0) this.#drop(others);
      if (others.bytes === 0) this.#sites.delete(oldest);
    }
  }

  #add(pages: OfSite<Kept>, bytes: number): void {
    pages.bytes += bytes;
    this.#bytes += bytes;
  }

  #drop(pages: OfSite<Kept>): void {
    for (const [key, answer] of pages.entries) {
      pages.entries.delete(key);
      this.#add(pages, -this.#sizeOf(key, answer));
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
  /** Counters of changes to what the site shows, and to what all sites of its organization show. */
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
  /** The query of routes that are not pages. */
  query: string;
  form: 'html' | 'markdown';
}

const keyParts = [
  ...(['build', 'publicUrl', 'sitesUrl', 'site', 'shown', 'organizationShown', 'stamp'] as const),
  ...(['shareLink', 'claims', 'expires', 'origin', 'depth', 'path', 'query', 'form'] as const),
] satisfies (keyof KeyParts)[];

/** The parts that do not depend on the requested path. */
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
  most: 16 * mebibyte,
  mostOfSite: 8 * mebibyte,
  bytesOf: ({ length }) => length,
});

interface Keeping {
  site: SiteId;
  /** Everything that reads of the site by this visitor depend on. */
  key: string;
  background: Background;
}

/**
 * Caches API responses that many pages share, as long as the site shows the same. The values must not be modified. Returns
 * undefined if there is nothing at the path, or if waiting for another request timed out.
 */
export const createReadCache =
  ({ site, key, background }: Keeping) =>
  async <Answer>(path: string, read: () => Promise<Response | undefined>): Promise<Answer | undefined> => {
    const make = async (): Promise<CachedRead | undefined> => {
      const text = await (await read())?.text();
      return text === undefined ? undefined : { value: JSON.parse(text), length: text.length };
    };
    const kept = await reads.get(site, `${key} ${path}`, { make, background });
    return kept?.value as Answer | undefined;
  };
