import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiQuery, get, listAll } from './api.ts';

/** A value that is loaded from the API. While it is loaded again, the former value is shown. */
export interface LoadedValue<Value> {
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => Promise<void>;
}

/** Results of former requests, which are shown until the new ones arrive. */
const cached = new Map<string, unknown>();
const maxCached = 300;

function cacheValue(key: string, value: unknown): void {
  cached.delete(key);
  cached.set(key, value);
  const [oldest] = cached.keys();
  if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest);
}

interface LoadState<Value> {
  key: string | undefined;
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
}

interface Listener {
  setState: (state: LoadState<unknown>) => void;
  load: (signal: AbortSignal) => Promise<unknown>;
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

/** Loads a value and passes it to all components that show it. */
function startLoading<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Promise<void> {
  const request: Promise<void> = load(new AbortController().signal).then(
    (value) => {
      if (running.get(key) === request) cacheValue(key, value);
      settle({ key, value, error: undefined, isLoading: false }, request);
    },
    (error: unknown) => settle({ key, value: cached.get(key), error, isLoading: false }, request),
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

/** Loads a value for a key. Nothing is loaded while the key is undefined. */
export function useLoaded<Value>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
): LoadedValue<Value> {
  const createState = (): LoadState<Value> => ({
    key,
    value: key === undefined ? undefined : (cached.get(key) as Value | undefined),
    error: undefined,
    isLoading: key !== undefined,
  });
  const [state, setState] = useState<LoadState<Value>>(createState);
  const { value, error, isLoading } = state.key === key ? state : createState();
  // Each key uses the `load` that was passed with it. The `load` of a later key would store the value of another path.
  useEffect(() => {
    if (key === undefined) return;
    const stop = listen(key, { setState: (next) => setState(next as LoadState<Value>), load });
    if (!running.has(key)) void startLoading(key, load);
    return stop;
  }, [key]);
  const reload = useCallback(() => (key === undefined ? Promise.resolve() : startLoading(key, load)), [key]);
  return { value, error, isLoading, reload };
}

/** Reads an object from the API. */
export const useApi = <Value>(path: string | undefined, query?: ApiQuery): LoadedValue<Value> =>
  useLoaded<Value>(path === undefined ? undefined : `${path} ${JSON.stringify(query ?? {})}`, (signal) =>
    get(path ?? '', query, signal),
  );

/** Reads a list from the API, at most `max` items. */
export const useList = <Item>(path: string | undefined, query?: ApiQuery, max?: number): LoadedValue<Item[]> =>
  useLoaded<Item[]>(path === undefined ? undefined : `list ${path} ${JSON.stringify(query ?? {})}`, () =>
    listAll(path ?? '', query, max),
  );
