import type { Hit } from '@octavo/search';
import { isGeneratedId } from '../../engine/computed/sources.ts';
import { LengthLimitedCache } from '../../engine/search/cache.ts';
import type { PageWithTexts } from './texts.ts';

/** The result of a search, and the state of everything that it depends on. */
interface CachedResult {
  state: string;
  /** The spaces with hits, in JSON. */
  spaces: string;
  result: unknown;
}

const cache = new LengthLimitedCache<CachedResult>(8_000_000);
/** Maximum length of a state. Searches of organizations with many spaces are not cached. */
const maxStateLength = 20_000;
/** Approximate length of a page and of a section in a result, in characters. */
const [pageLength, sectionLength] = [400, 700];

interface FoundResult {
  state: unknown;
  spaces: string;
  /** All pages with the words. */
  hits: Pick<Hit, 'page'>[];
}

/**
 * Caches results, because readers type the same words. A result is valid as long as the spaces that were searched, the
 * segments of the index, the synonyms of the words and the live content of the spaces with hits are the same.
 */
export class ResultCache<Result> {
  readonly #key: string;
  readonly #cached: CachedResult | undefined;

  constructor(search: unknown) {
    this.#key = JSON.stringify(search);
    this.#cached = cache.get(this.#key);
  }

  /** The spaces with hits, in JSON. The state of the cached result contains the heads of these spaces. */
  get spaces(): string {
    return this.#cached?.spaces ?? '[]';
  }

  find(state: unknown): Result | undefined {
    const isValid = this.#cached !== undefined && this.#cached.state === JSON.stringify(state);
    return isValid ? (this.#cached?.result as Result) : undefined;
  }

  /**
   * Adds a result. If a generated page has the words, visible or not, the result depends on more than the content of
   * spaces, so it is not cached.
   */
  add(result: Result, pages: PageWithTexts[], { state, spaces, hits }: FoundResult): void {
    const text = JSON.stringify(state);
    if (text.length > maxStateLength || hits.some(({ page }) => isGeneratedId(page))) return;
    const sections = pages.reduce((sum, { found }) => sum + found.length, 0);
    const length = this.#key.length + text.length + pages.length * pageLength + sections * sectionLength;
    cache.add(this.#key, { state: text, spaces, result }, length);
  }
}
