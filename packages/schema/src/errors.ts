import type { MergeConflict } from './collaboration/merge-conflict.ts';

/** Every error that the API answers with, and its HTTP status. The only such table (design: architecture, "Errors"). */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unknown_method: 501,
  unavailable: 503,
} as const;

export type ErrorType = keyof typeof errorStatus;

/** One thing that is wrong with the input: `path` is dotted from the body, `query` or `params`. */
export interface Issue {
  path: string;
  message: string;
}

/** The one error that operations throw. Own properties only, so that it survives an RPC call between workers. */
export class ApiError extends Error {
  override name = 'ApiError';
  type: ErrorType;
  issues: Issue[] | undefined;
  /** What somebody must decide first. */
  conflicts: MergeConflict[] | undefined;
  /** When to try again, in seconds. */
  retryAfter: number | undefined;

  constructor(type: ErrorType, message: string, issues?: Issue[]) {
    super(message);
    this.type = type;
    this.issues = issues;
  }
}

/** Recognizes an `ApiError` by its shape: one that crossed an RPC boundary has lost its class. */
export function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error &&
    error.name === 'ApiError' &&
    'type' in error &&
    Object.hasOwn(errorStatus, String(error.type))
  );
}

/** 404 for a missing object and for one that the caller may not know of: the two must read the same. */
export const notFound = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`);

/** 404 for what a field of the body names, as `notFound`. */
export const namesNothing = (field: string, what: string): ApiError =>
  new ApiError('not_found', `body.${field}: There is no such ${what}.`);

/** 400 with the place of each fault. */
export const invalid = (issues: Issue[]): ApiError =>
  new ApiError('invalid', issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), issues);

export const conflict = (message: string): ApiError => new ApiError('conflict', message);

/** 409 for a merge that would decide what nobody has decided. */
export function undecidedConflicts(conflicts: MergeConflict[]): ApiError {
  const named = conflicts.slice(0, maxNamed).map(({ title, id, field }) => `${field} of ${title ?? ''} (${id})`);
  const more = conflicts.length > maxNamed ? ` and ${conflicts.length - maxNamed} more` : '';
  const error = conflict(`These are still in conflict, decide them first: ${named.join(', ')}${more}.`);
  error.conflicts = conflicts;
  return error;
}

/** So many conflicts are named in a sentence. */
const maxNamed = 20;

export const preconditionFailed = (message: string): ApiError => new ApiError('precondition_failed', message);

export const forbidden = (message: string): ApiError => new ApiError('forbidden', message);

export function rateLimited(message: string, retryAfter: number): ApiError {
  const error = new ApiError('rate_limited', message);
  error.retryAfter = retryAfter;
  return error;
}
