import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiOptions, type ApiQuery, defaultMax, get, readList } from './api.ts';

/** A value that is loaded from the API. While it is loaded again, the former value is shown. */
export interface LoadedValue<Value> {
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => Promise<void>;
}

/** A result with the time at which its request started. */
interface CachedResult {
  value: unknown;
  startedAt: number;
}

/** Results of former requests, which are shown until the new ones arrive. */
const cached = new Map<string, CachedResult>();
const maxCached = 300;

function cacheResult(key: string, result: CachedResult): void {
  cached.delete(key);
  cached.set(key, result);
  const [oldest] = cached.keys();
  if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest);
}

interface LoadState<Value> {
  key: string | undefined;
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
}

/** Options of the requests that load a value. */
export type LoadOptions = Pick<ApiOptions, 'isBackground'>;

type Load<Value> = (options: LoadOptions) => Promise<Value>;

interface Listener {
  setState: (state: LoadState<unknown>) => void;
  load: Load<unknown>;
}

/** The components that show the value of each key. */
const listeners = new Map<string, Set<Listener>>();
/** The last request for each key, while it runs. Components with the same key share it. */
const running = new Map<string, Promise<void>>();

function settle(state: LoadState<unknown> & { key: string }, request: Promise<void> | undefined): void {
  // A later request for the same key has a newer result.
  if (running.get(state.key) !== request) return;
  running.delete(state.key);
  for (const listener of listeners.get(state.key) ?? []) listener.setState(state);
}

/**
 * Loads a value and passes it to all components that show it. A reload of a cached value is a background request: the
 * user did not start it.
 */
function startLoading<Value>(key: string, load: Load<Value>, isBackground = cached.has(key)): Promise<void> {
  const startedAt = Date.now();
  const request: Promise<void> = load({ isBackground }).then(
    (value) => {
      if (running.get(key) === request) cacheResult(key, { value, startedAt });
      settle({ key, value, error: undefined, isLoading: false }, request);
    },
    (error: unknown) => settle({ key, value: cached.get(key)?.value, error, isLoading: false }, request),
  );
  running.set(key, request);
  return request;
}

/** Calls a listener whenever the value of a key is loaded. Returns a function that removes it. */
function listen(key: string, listener: Listener): () => void {
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0) listeners.delete(key);
  };
}

/** Returns the key of a value without its query. */
const getPath = (key: string): string => key.replace(/^list /, '').replace(/ (?:\d+ )?\{.*/s, '');

/** Reloads all shown values whose path in the API meets a condition. */
export async function reloadWhere(matches: (path: string) => boolean): Promise<void> {
  const shown = [...listeners].filter(([key]) => matches(getPath(key)));
  await Promise.all(shown.map(([key, [listener]]) => listener && startLoading(key, listener.load)));
}

/** Reloads all shown values of a path of the API, with any query. */
export const reloadPath = (path: string): Promise<void> => reloadWhere((each) => each === path);

/** The times at which paths of the API were changed without a reload. */
const changedAt = new Map<string, number>();

/** Remembers that the values of a path have changed. The next component that shows one of them loads it again. */
export function expirePath(path: string): void {
  changedAt.set(path, Date.now());
}

/** Whether another component shows the value, and its result is neither older than `maxAge` nor expired. */
function isFresh(key: string, maxAge: number): boolean {
  const { startedAt = 0 } = cached.get(key) ?? {};
  return listeners.has(key) && startedAt > Math.max(Date.now() - maxAge, changedAt.get(getPath(key)) ?? 0);
}

/** Returns the value, or the last value of the same subject while there is none. */
function useLastValue<Value>(subject: string | undefined, value: Value | undefined): Value | undefined {
  const last = useRef<{ subject: string | undefined; value: Value }>(undefined);
  if (value !== undefined) last.current = { subject, value };
  return subject !== undefined && last.current?.subject === subject ? last.current.value : value;
}

interface LoadedOptions {
  /**
   * The object that the value belongs to. The last value of the same subject is shown until the value of a new key is
   * loaded, for example while another revision of a page is read.
   */
  subject?: string | undefined;
  /**
   * The age in milliseconds up to which the value is not loaded again while another component shows it. The default is
   * 0. It can be longer for values that live events keep current.
   */
  maxAge?: number | undefined;
}

/** Loads a value for a key. Nothing is loaded while the key is undefined. */
export function useLoaded<Value>(
  key: string | undefined,
  load: Load<Value>,
  { subject, maxAge = 0 }: LoadedOptions = {},
): LoadedValue<Value> {
  const createState = (): LoadState<Value> => ({
    key,
    value: key === undefined ? undefined : (cached.get(key)?.value as Value | undefined),
    error: undefined,
    isLoading: key !== undefined,
  });
  const [state, setState] = useState<LoadState<Value>>(createState);
  const { value: loaded, error, isLoading } = state.key === key ? state : createState();
  const value = useLastValue(subject, loaded);
  // Each key uses the `load` that was passed with it. The `load` of a later key would store the value of another path.
  useEffect(() => {
    if (key === undefined) return;
    const isShared = isFresh(key, maxAge);
    const stop = listen(key, { setState: (next) => setState(next as LoadState<Value>), load });
    if (isShared && !running.has(key)) {
      setState({ ...createState(), isLoading: false });
      return stop;
    }
    // If the former value stays visible, the user may be typing into it.
    if (!running.has(key)) void startLoading(key, load, value !== undefined && loaded === undefined);
    return stop;
  }, [key]);
  const reload = useCallback(() => (key === undefined ? Promise.resolve() : startLoading(key, load)), [key]);
  return { value, error, isLoading, reload };
}

/** Reads an object from the API. */
export const useApi = <Value>(path: string | undefined, query?: ApiQuery, maxAge?: number): LoadedValue<Value> =>
  useLoaded<Value>(
    path === undefined ? undefined : `${path} ${JSON.stringify(query ?? {})}`,
    (options) => get(path ?? '', query, options),
    { maxAge },
  );

/** A list that is loaded from the API. */
export interface LoadedList<Item> extends LoadedValue<Item[]> {
  /** Whether the list has more items than were read. */
  hasMore: boolean;
  /** Reads more items; undefined if the number of items is fixed. */
  showMore?: () => void;
}

/**
 * Reads a list from the API, at most `max` items. While more items are loaded, the former ones are shown. With a
 * `subject`, also while the items of another query with the same subject are loaded.
 */
export function useList<Item>(
  path: string | undefined,
  query: ApiQuery = {},
  max = defaultMax,
  subject?: string,
): LoadedList<Item> {
  const text = JSON.stringify(query);
  const { value, ...loaded } = useLoaded(
    path === undefined ? undefined : `list ${path} ${max} ${text}`,
    (options) => readList<Item>(path ?? '', query, max, options),
    { subject: subject ?? `${path} ${text}` },
  );
  return { ...loaded, value: value?.items, hasMore: value?.hasMore === true };
}

/** Reads the first `pageSize` items of a list, and as many more with each call of `showMore`. */
export function useGrowingList<Item>(
  path: string | undefined,
  query: ApiQuery,
  pageSize: number,
): LoadedList<Item> & { showMore: () => void } {
  const [max, setMax] = useState(pageSize);
  return { ...useList<Item>(path, query, max), showMore: () => setMax(max + pageSize) };
}
