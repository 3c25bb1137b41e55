import type { Background } from '@octavo/runtime';

/** In bytes, of all sites and of one, so that nobody's push out all others. */
interface CacheSizes<Kept> {
  most: number;
  mostOfSite: number;
  bytesOf: (kept: Kept) => number;
}

/** What an entry takes beside its body and its key. */
const entryBytes = 512;

interface Making<Kept> {
  /** What is to be kept; undefined where nothing is. */
  make: () => Promise<Kept | undefined>;
  background: Background;
}

/** So long one request waits for what another one makes: that may have been ended. */
const patienceMilliseconds = 10_000;

async function within<Kept>(made: Promise<Kept | undefined>): Promise<Kept | undefined> {
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
 * What was made for sites by the keys that it follows from, that asked for last of each site. Nothing in it is ever wrong:
 * what changes has another key, and the old one is not asked for again.
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

  /** What is kept by a key; else what `make` gives, once for all who ask meanwhile. */
  async get(site: string, key: string, making: Making<Kept>): Promise<Kept | undefined> {
    const known = this.find(site, key);
    if (known !== undefined) return known;
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      const answer = await within(pending);
      // What does not come is made anew by who asks next.
      if (answer === undefined && this.#pending.get(key) === pending) this.#pending.delete(key);
      return answer;
    }
    const made = this.#make(site, key, making);
    this.#pending.set(key, made);
    // Who asked first may leave before it is there: the others wait on.
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

  /** What is kept by a key, which is asked for last from then on. */
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
