import { ApiError, type ErrorType, errorStatus, type Issue, type MergeConflict } from '@octavo/schema';
import type { Answer } from './retry.ts';

interface WireError {
  message?: string;
  type?: string;
  requestId?: string;
  issues?: Issue[];
  conflicts?: MergeConflict[];
}

/** The value of an answer; throws the error that it tells of. */
export function readAnswer({ response, text }: Answer): unknown {
  if (!response.ok) throw errorOf(response, readWireError(text));
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new Error(`The answer of ${response.url} is not JSON: this is not the address of an Octavo server.`);
  }
}

function readWireError(text: string): WireError {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    return {};
  }
}

function errorOf(response: Response, error: WireError): ApiError & { requestId?: string } {
  const message = error.message ?? `The server answered with status ${response.status}.`;
  const requestId = error.requestId ?? response.headers.get('x-request-id') ?? undefined;
  const thrown = new ApiError(errorType(error.type, response.status), message, error.issues);
  thrown.conflicts = error.conflicts;
  return Object.assign(thrown, requestId !== undefined && { requestId });
}

function errorType(type: string | undefined, status: number): ErrorType {
  const known = Object.keys(errorStatus) as ErrorType[];
  return known.find((key) => key === type) ?? known.find((key) => errorStatus[key] === status) ?? byClass(status);
}

const byClass = (status: number): ErrorType => (status < 500 ? 'invalid' : 'internal');
