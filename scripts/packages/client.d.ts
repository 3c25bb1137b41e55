/** Options of a client. */
export interface ClientOptions {
  /** URL of the server, without `/v1`. */
  url: string;
  /** A token of the user. Without one, only public operations are possible. */
  token?: string | undefined;
  /** The `User-Agent` header of the requests. */
  userAgent?: string;
  fetch?: typeof fetch;
  /** Maximum number of attempts; 6 by default. Only reads, and requests over a rate limit, are repeated. */
  attempts?: number;
  /** Maximum wait between two attempts, in milliseconds; one minute by default. */
  maxWaitMs?: number;
}

/** Creates a client for a server. Its reads see its own earlier writes. */
export declare function createClient(options: ClientOptions): Api;

/** The kind of an error. */
export type ErrorType = ErrorBody['error']['type'];

/** The error that a client throws if the server rejects a request. `message` describes it in a sentence. */
export declare class ApiError extends Error {
  type: ErrorType;
  /** The invalid values of the request, by their paths. */
  issues: { path: string; message: string }[] | undefined;
  /** The conflicts that must be resolved first. */
  conflicts: MergeConflict[] | undefined;
  /** The id of the request in the log of the server. */
  requestId?: string;
}

export declare function isApiError(error: unknown): error is ApiError;

/** Yields every item of a list, page by page. `fn` receives the cursor of the page, or undefined for the first page. */
export declare function paginate<Item>(
  fn: (page: string | undefined) => Promise<{ items: Item[]; next?: { page: string } | undefined }>,
): AsyncGenerator<Item>;

/** Maps items with at most `limit` concurrent calls. The results are in the order of the items. */
export declare function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  fn: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]>;
