import { isApiError } from '@octavo/schema';

/** An expected failure: a one-sentence message for the user, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the failure for a command with invalid arguments. */
export const createMisuseError = (message: string): Failure => new Failure(message, 2);

export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Describes an error in one sentence: what failed, and where. */
export function explainFailure(error: unknown): string {
  if (isApiError(error)) {
    const request = 'requestId' in error ? ` (request ${error.requestId})` : '';
    return `The server rejected the request: ${error.message}${request}`;
  }
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error ? `: ${error.cause.message || ('code' in error.cause && error.cause.code)}` : '';
  return error.message === 'fetch failed' ? `The server could not be reached${cause}.` : `${error.message}${cause}`;
}
