import type { Issue, List, MergeConflict } from '@octavo/schema';
import { hasUnsavedChanges } from './router.ts';

export type ApiQuery = Record<string, string | number | boolean | string[] | undefined>;

export interface ApiOptions {
  query?: ApiQuery | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Whether the user did not start the request. The sign-in page then does not open if the session has ended. */
  isBackground?: boolean;
}

/** An error that the API returned. `status` is 0 if no response arrived. */
export class ApiRequestError extends Error {
  override name = 'ApiRequestError';
  readonly status: number;
  readonly issues: Issue[];
  /** The conflicts that must be resolved first. */
  readonly conflicts: MergeConflict[];

  constructor(status: number, message: string, details: { issues?: Issue[]; conflicts?: MergeConflict[] } = {}) {
    super(message);
    this.status = status;
    this.issues = details.issues ?? [];
    this.conflicts = details.conflicts ?? [];
  }
}

function createQueryString(query: ApiQuery = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) params.append(name, String(each));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Opens the sign-in page, which returns to the current page. */
export function signIn(): void {
  const { pathname, search, hash } = window.location;
  window.location.assign(`/login?to=${encodeURIComponent(`${pathname}${search}${hash}`)}`);
}

interface ErrorBody {
  error?: { message?: string; issues?: Issue[]; conflicts?: MergeConflict[] };
}

async function readError(response: Response): Promise<ApiRequestError> {
  const { error } = (await response.json().catch(() => ({}))) as ErrorBody;
  return new ApiRequestError(response.status, error?.message ?? `The server responded with ${response.status}.`, error);
}

const fetchFromApi = (method: string, path: string, { query, body, signal, headers }: ApiOptions): Promise<Response> =>
  fetch(`/v1${path}${createQueryString(query)}`, {
    method,
    headers: {
      'octavo-app': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiRequestError(0, 'The server cannot be reached. Check your connection and try again.');
  });

/**
 * Calls the API. `path` is relative to `/v1`. Returns undefined if the response has no body.
 * @throws ApiRequestError
 */
export async function api<Result>(method: string, path: string, options: ApiOptions = {}): Promise<Result> {
  const response = await fetchFromApi(method, path, options);
  // The sign-in page would replace a screen with unsaved changes. Such a screen shows how to sign in instead.
  if (response.status === 401 && options.isBackground !== true && !hasUnsavedChanges()) signIn();
  if (!response.ok) throw await readError(response);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Result;
}

type ReadOptions = Pick<ApiOptions, 'signal' | 'isBackground'>;

export const get = <Result>(path: string, query?: ApiQuery, options: ReadOptions = {}): Promise<Result> =>
  api<Result>('GET', path, { query, ...options });

/** Page size of lists that are read completely. */
const listLimit = 200;

/** The number of items of a list that are read by default, at most. */
export const defaultMax = 1000;

/** The first items of a list. */
export interface ListStart<Item> {
  items: Item[];
  /** Whether the list has further items. */
  hasMore: boolean;
}

/** Reads a list, at most `max` items. */
export async function readList<Item>(
  path: string,
  query: ApiQuery = {},
  max = defaultMax,
  options: ReadOptions = {},
): Promise<ListStart<Item>> {
  const items: Item[] = [];
  let page: string | undefined;
  do {
    const part: List<Item> = await get(path, { limit: Math.min(listLimit, max), ...query, page }, options);
    items.push(...part.items);
    page = part.next?.page;
  } while (page !== undefined && items.length < max);
  return { items: items.slice(0, max), hasMore: page !== undefined || items.length > max };
}

/** Reads the items of a list, at most `max`. */
export const listAll = async <Item>(
  path: string,
  query?: ApiQuery,
  max?: number,
  options?: ReadOptions,
): Promise<Item[]> => (await readList<Item>(path, query, max, options)).items;

/** Returns a message for the user. */
export function toMessage(error: unknown): string {
  if (error instanceof ApiRequestError && error.status === 401)
    return 'You are signed out. Sign in in another tab, then try again.';
  if (!(error instanceof ApiRequestError)) return 'Something went wrong. Reload the page and try again.';
  const [issue] = error.issues;
  return issue === undefined ? error.message : `${issue.path.replace(/^\w+\./, '')} ${issue.message}.`;
}
