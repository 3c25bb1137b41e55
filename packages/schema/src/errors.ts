import type { MergeConflict } from './collaboration/merge-conflict.ts';
import { describeBytes } from './text.ts';

/** The HTTP status of each error of the API. No other table defines statuses. */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unknown_method: 501,
  unavailable: 503,
  storage_full: 507,
} as const;

export type ErrorType = keyof typeof errorStatus;

/**
 * A problem in the input. `path` is dotted and starts with `body`, `query` or `params`. `message` continues a sentence
 * that starts with the path, such as "is required", without a period.
 */
export interface Issue {
  path: string;
  message: string;
}

/**
 * The error that operations throw. All its fields are own properties, so that they survive an RPC call between workers.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  type: ErrorType;
  issues: Issue[] | undefined;
  /** The conflicts that must be resolved first. */
  conflicts: MergeConflict[] | undefined;
  /** The delay before a retry, in seconds. */
  retryAfter: number | undefined;
  /** The methods that the path supports. */
  allow: string[] | undefined;

  constructor(type: ErrorType, message: string, issues?: Issue[]) {
    super(message);
    this.type = type;
    this.issues = issues;
  }
}

/** Recognizes an `ApiError` by its shape, because an error that crossed an RPC boundary has lost its class. */
export function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error &&
    error.name === 'ApiError' &&
    'type' in error &&
    Object.hasOwn(errorStatus, String(error.type))
  );
}

/** The messages of SQLite, D1 and the operating system for a full database or disk. */
const fullPattern = /SQLITE_FULL|database or disk is full|Exceeded maximum DB size|No space left on device/;
const maxCauses = 5;

export const storageFull = (message = 'The disk of the server is full. Free space on it, then repeat the request.') =>
  new ApiError('storage_full', message);

/** Returns an error and its causes. */
function* getCauses(error: unknown): Generator<Error> {
  let each = error;
  for (let depth = 0; each instanceof Error && depth < maxCauses; depth += 1) {
    yield each;
    each = each.cause;
  }
}

/** Returns a 507 if an error or one of its causes means that the disk or the database is full. */
export function findStorageFull(error: unknown): ApiError | undefined {
  for (const each of getCauses(error)) {
    if (isApiError(each) && each.type === 'storage_full') return each;
    if (fullPattern.test(each.message)) return storageFull();
  }
  return undefined;
}

/**
 * Errors of D1 and Durable Objects after which the same request can succeed. Cloudflare lists them on
 * developers.cloudflare.com/d1/observability/debug-d1. Queries that exceed the time or memory of the database are not
 * among them, because a repetition would fail again.
 */
const transientPattern =
  /Network connection lost|caused object to be reset|reset because its code was updated|due to transient issue|client disconnected/;
const pausePattern = /octavo: writes are paused/;
/** Whether a write was refused because an operator has paused writes. */
export const isPauseError = (error: unknown): boolean =>
  [...getCauses(error)].some(({ message }) => pausePattern.test(message));

/** The database is overloaded, or an operator has paused writes. Clients wait longer before they repeat a request. */
const overloadedPattern = /\bis overloaded\b|octavo: writes are paused/;
const retrySeconds = { transient: 1, overloaded: 10 };

/**
 * Returns the kind of a temporary error, after which the same request can succeed. After an overload, the request must
 * not be repeated immediately.
 */
export function findTransientError(error: unknown): keyof typeof retrySeconds | undefined {
  for (const each of getCauses(error)) {
    if (('overloaded' in each && each.overloaded === true) || overloadedPattern.test(each.message)) return 'overloaded';
    if (('retryable' in each && each.retryable === true) || transientPattern.test(each.message)) return 'transient';
  }
  return undefined;
}

const unavailableMessages = {
  read: 'The server is temporarily unavailable. Repeat the request.',
  write:
    'The server is temporarily unavailable. Check whether the change was saved before you repeat the request, or send ' +
    'it with an `Idempotency-Key`, with which it can be repeated safely.',
};

/** Returns a 503 if an error or one of its causes is temporary, so that the same request can succeed later. */
export function findUnavailable(error: unknown, access: 'read' | 'write'): ApiError | undefined {
  const kind = findTransientError(error);
  if (kind === undefined) return undefined;
  const unavailable = new ApiError('unavailable', unavailableMessages[access]);
  unavailable.retryAfter = retrySeconds[kind];
  unavailable.cause = error;
  return unavailable;
}

/**
 * Returns a 404 for a missing object, or for one whose existence the caller may not know. The two must be
 * indistinguishable.
 */
export const notFound = (objectName: string): ApiError =>
  new ApiError('not_found', `${objectName.charAt(0).toUpperCase()}${objectName.slice(1)} not found.`);

/** Returns a 404 like `notFound` for an object that a field of the body names. */
export const targetNotFound = (field: string, objectName: string): ApiError =>
  new ApiError('not_found', `The ${objectName} in \`body.${field}\` was not found.`);

/** Returns a 405 that lists the methods for which `matches` is true. If it is true for no method, returns a 404. */
export function unmatchedPath(what: string, matches: (method: string) => boolean): ApiError {
  const methods = routedMethods.filter(matches).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  if (methods.length === 0) return notFound(what);
  const allow = [...methods, 'OPTIONS'];
  const error = new ApiError(
    'method_not_allowed',
    `This ${what} does not support this method, only ${allow.join(', ')}.`,
  );
  error.allow = allow;
  return error;
}

const routedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns a 413 for a body of more than `limit` bytes, with a hint that explains how to send the content instead. */
export function bodyTooLarge(limit: number, hint?: string): ApiError {
  const message = limit === 0 ? 'This path accepts no body.' : `The body can be at most ${describeBytes(limit)}.`;
  return new ApiError('too_large', hint === undefined ? message : `${message} ${hint}.`);
}

/** The hint for requests that can contain the bytes of files. */
export const uploadHint = 'Upload large files first: POST /v1/orgs/{organizationId}/uploads';

/** Describes problems in sentences, such as "`body.title` is required." */
export const describeIssues = (issues: Issue[]): string =>
  issues.map(({ path, message }) => `\`${path}\` ${message}${/[.?]$/.test(message) ? '' : '.'}`).join(' ');

/** Returns a 400 with the path of each problem. */
export const invalid = (issues: Issue[]): ApiError => new ApiError('invalid', describeIssues(issues), issues);

export const conflict = (message: string): ApiError => new ApiError('conflict', message);

/** Returns a 409 for a merge with unresolved conflicts. */
export function undecidedConflicts(conflicts: MergeConflict[]): ApiError {
  const fields = conflicts.slice(0, maxNamed).map(({ title, id, field }) => `${field} of ${title ?? ''} (${id})`);
  const suffix = conflicts.length > maxNamed ? ` and ${conflicts.length - maxNamed} more` : '';
  const error = conflict(`Resolve these conflicts first: ${fields.join(', ')}${suffix}.`);
  error.conflicts = conflicts;
  return error;
}

/** Maximum number of conflicts in the error message. */
const maxNamed = 20;

export const preconditionFailed = (message: string): ApiError => new ApiError('precondition_failed', message);

export const forbidden = (message: string): ApiError => new ApiError('forbidden', message);

export function rateLimited(message: string, retryAfter: number): ApiError {
  const error = new ApiError('rate_limited', message);
  error.retryAfter = retryAfter;
  return error;
}
