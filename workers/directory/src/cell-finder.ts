import { type Count, getNetwork, isOverLimit, log, RequestWindows } from '@octavo/runtime';
import { type ApiError, type DirectoryKey, type DirectoryKind, rateLimited } from '@octavo/schema';
import { askCells, createUnavailable, type Owner } from './ask-cells.ts';
import { type DirectoryEnvironment, listCells } from './environment.ts';
import { deleteEntry, deleteUnusedEntries, listKeys, readEntry, type StoredCell, writeEntry } from './table.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** The time for which an isolate caches the cell of a key, or the result that no cell has it. */
const cacheMilliseconds = { existing: minute, missing: minute / 2 };
const maxCached = 20_000;
/**
 * Maximum number of unknown keys that the clients of a network may name in a minute. Keys that are being looked up
 * count as unknown.
 */
const maxUnknown = 60;
/** Maximum number of new keys, by kind, that an isolate looks up in the cells in a minute. */
const maxQuestions = { signIns: 500, sites: 1000, others: 1500 };

const shares: Partial<Record<DirectoryKind, keyof typeof maxQuestions>> = {
  'sign-in-link': 'signIns',
  'saml-provider': 'signIns',
  site: 'sites',
  organization: 'sites',
};

/** A used entry is confirmed once a day, so an entry that was not confirmed for this time is not used any more. */
const unusedMilliseconds = 30 * day;

interface Seeker {
  env: DirectoryEnvironment;
  background: Pick<ExecutionContext, 'waitUntil'>;
  /** The trusted address of the client; undefined if it is not known. */
  address: string | undefined;
}

interface LookupResult {
  cell: string | undefined;
  /** The key for which the result is cached. */
  key: string;
  /** Whether the result also applies to all longer site addresses that start with the key. */
  isWhole: boolean;
}

interface CachedResult extends LookupResult {
  until: number;
}

/** Finds the cells of keys: in the memory of the isolate, in the table, or by asking all cells. */
export class CellFinder {
  readonly #cache = new Map<string, CachedResult>();
  readonly #networks = new RequestWindows(10_000);
  readonly #shares = new RequestWindows(3);
  readonly #questions = new Map<string, Promise<string | undefined>>();
  #cleanedAt = 0;

  /** Returns the name of the cell that contains the object of a key; undefined if none does. @throws ApiError */
  async find(key: DirectoryKey, seeker: Seeker): Promise<string | undefined> {
    const keys = listKeys(key);
    const usable = keys.flatMap((each) => {
      const cached = this.#cache.get(each);
      return cached !== undefined && (cached.isWhole || cached.key === keys[0]) ? [cached] : [];
    });
    const fresh = usable.find(({ until }) => until > Date.now());
    if (fresh !== undefined) return fresh.cell;
    const result = await this.#lookUp(key, keys, seeker).catch((error: unknown) => {
      // While the table or the cells fail, former results are still used.
      const former = usable.find(({ cell }) => cell !== undefined);
      if (former === undefined) throw error;
      return former;
    });
    this.#addToCache(result);
    return result.cell;
  }

  async #lookUp(key: DirectoryKey, keys: string[], seeker: Seeker): Promise<LookupResult> {
    const { env } = seeker;
    const entry = await readEntry(env, keys).catch((error: unknown) => {
      log('error', 'the table of the directory could not be read', { cause: String(error) });
      throw createUnavailable('The directory of the server is temporarily unavailable. Repeat the request.');
    });
    const [longest = ''] = keys;
    const isOfCell = listCells(env).some(({ name }) => name === entry?.cell);
    if (entry !== undefined && isOfCell && entry.checkedAt > Date.now() - day) {
      const isWhole = entry.hasOthers === 0;
      return { cell: entry.cell, key: isWhole ? entry.key : longest, isWhole };
    }
    const giveBack = entry === undefined ? this.#countUnknown(seeker) : undefined;
    const cell = await this.#askOnce(key, longest, entry, seeker);
    if (cell !== undefined) giveBack?.();
    return { cell, key: longest, isWhole: false };
  }

  /** Asks the cells, once for all requests that wait for the same key. */
  #askOnce(
    key: DirectoryKey,
    text: string,
    entry: StoredCell | undefined,
    seeker: Seeker,
  ): Promise<string | undefined> {
    const running = this.#questions.get(text);
    if (running !== undefined) return running;
    if (entry === undefined) this.#countQuestion(key.kind);
    const question = this.#ask(key, entry, seeker).finally(() => this.#questions.delete(text));
    this.#questions.set(text, question);
    // If the client of this request disconnects, others still wait for the result.
    seeker.background.waitUntil(question.catch(() => undefined));
    return question;
  }

  async #ask(key: DirectoryKey, entry: StoredCell | undefined, seeker: Seeker): Promise<string | undefined> {
    const owner = await askCells(key, seeker.env, entry);
    this.#clean(seeker);
    return this.#store(seeker.env, owner, entry);
  }

  /** Stores the cell, if it responded. Deletes the former entry if no cell has its key any more. */
  async #store(env: DirectoryEnvironment, owner: Owner | undefined, entry: StoredCell | undefined) {
    if (entry !== undefined && (owner === undefined || owner.key.length < entry.key.length))
      await deleteEntry(env, entry);
    if (owner?.isConfirmed !== true) return owner?.cell;
    return writeEntry(env, { key: owner.key, cell: owner.cell, checkedAt: Date.now() }, entry);
  }

  #addToCache(result: LookupResult): void {
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size >= maxCached) this.#cache.delete(oldest);
    this.#cache.delete(result.key);
    const until = Date.now() + cacheMilliseconds[result.cell === undefined ? 'missing' : 'existing'];
    this.#cache.set(result.key, { ...result, until });
  }

  /**
   * Counts a key as unknown. Returns the function that takes it off the count once the key is found. @throws ApiError
   */
  #countUnknown({ address }: Seeker): (() => void) | undefined {
    if (address === undefined) return undefined;
    const network = getNetwork(address);
    const count = this.#networks.countRequest(network, maxUnknown, Date.now());
    const giveBack = () => this.#networks.uncountRequest(network, count);
    if (!isOverLimit(count)) return giveBack;
    giveBack();
    throw createLimitError(count);
  }

  /** @throws ApiError if all clients together name too many new keys of this kind */
  #countQuestion(kind: DirectoryKind): void {
    const share = shares[kind] ?? 'others';
    const count = this.#shares.countRequest(share, maxQuestions[share], Date.now());
    if (isOverLimit(count)) throw createLimitError(count);
  }

  /** Deletes unused entries in the background, once a day, or with each new key while there are more of them. */
  #clean({ env, background }: Seeker): void {
    const now = Date.now();
    if (now < this.#cleanedAt + day) return;
    this.#cleanedAt = now;
    const cleaning = deleteUnusedEntries(env, now - unusedMilliseconds).then((hasMore) => {
      if (hasMore) this.#cleanedAt = 0;
    });
    background.waitUntil(cleaning);
  }
}

function createLimitError({ ends }: Count): ApiError {
  const seconds = Math.max(1, Math.ceil((ends - Date.now()) / 1000));
  return rateLimited(`Too many requests with unknown tokens or addresses. Try again in ${seconds} s.`, seconds);
}
