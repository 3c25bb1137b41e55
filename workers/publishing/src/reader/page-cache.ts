/** An answer as it is kept: its body is packed by gzip. */
export interface KeptAnswer {
  packed: Uint8Array<ArrayBuffer>;
  headers: [name: string, value: string][];
}

import type { Background } from '@octavo/runtime';

/** In bytes, of all sites and of one, so that nobody's pages push out all others. */
const mostBytes = 32 * 1024 * 1024;
const mostOfSite = 8 * 1024 * 1024;
/** What an entry takes beside its body and its key. */
const entryBytes = 512;

interface Making {
  make: () => Promise<KeptAnswer | undefined>;
  background: Background;
}

/** So long one request waits for what another one makes: that may have been ended. */
const patienceMilliseconds = 10_000;

async function within(made: Promise<KeptAnswer | undefined>): Promise<KeptAnswer | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, patienceMilliseconds);
  try {
    return await Promise.race([made, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface PagesOfSite {
  entries: Map<string, KeptAnswer>;
  bytes: number;
}

const sizeOf = (key: string, { packed }: KeptAnswer): number => packed.length + key.length + entryBytes;

/**
 * Answers by the keys that they follow from, those asked for last of each site. Nothing in it is ever wrong: what changes
 * has another key, and the old one is not asked for again.
 */
export class PageCache {
  readonly #sites = new Map<string, PagesOfSite>();
  readonly #pending = new Map<string, Promise<KeptAnswer | undefined>>();
  #bytes = 0;

  /** What is kept by a key; else what `make` gives, once for all who ask meanwhile. */
  async get(site: string, key: string, making: Making): Promise<KeptAnswer | undefined> {
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

  async #make(site: string, key: string, { make }: Making): Promise<KeptAnswer | undefined> {
    try {
      const answer = await make();
      if (answer !== undefined) this.#keep(site, key, answer);
      return answer;
    } finally {
      this.#pending.delete(key);
    }
  }

  /** What is kept by a key, which is asked for last from then on. */
  find(site: string, key: string): KeptAnswer | undefined {
    const pages = this.#sites.get(site);
    const answer = pages?.entries.get(key);
    if (pages === undefined || answer === undefined) return undefined;
    pages.entries.delete(key);
    pages.entries.set(key, answer);
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    return answer;
  }

  #keep(site: string, key: string, answer: KeptAnswer): void {
    const size = sizeOf(key, answer);
    if (size > mostOfSite) return;
    const pages = this.#sites.get(site) ?? { entries: new Map<string, KeptAnswer>(), bytes: 0 };
    this.#sites.delete(site);
    this.#sites.set(site, pages);
    pages.entries.set(key, answer);
    this.#add(pages, size);
    while (pages.bytes > mostOfSite) this.#drop(pages);
    for (const [oldest, others] of this.#sites) {
      if (this.#bytes <= mostBytes) break;
      while (this.#bytes > mostBytes && others.bytes > 0) this.#drop(others);
      if (others.bytes === 0) this.#sites.delete(oldest);
    }
  }

  #add(pages: PagesOfSite, bytes: number): void {
    pages.bytes += bytes;
    this.#bytes += bytes;
  }

  #drop(pages: PagesOfSite): void {
    for (const [key, answer] of pages.entries) {
      pages.entries.delete(key);
      this.#add(pages, -sizeOf(key, answer));
      return;
    }
  }
}
