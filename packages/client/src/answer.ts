import { ApiError, type ErrorType, errorStatus, type Issue } from '@octavo/schema';

interface WireError {
  message?: string;
  type?: string;
  requestId?: string;
  issues?: Issue[];
}

/** The body of an answer; throws the error that it tells of. */
export async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  throw errorOf(response, readWireError(text));
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
  return Object.assign(thrown, requestId !== undefined && { requestId });
}

function errorType(type: string | undefined, status: number): ErrorType {
  const known = Object.keys(errorStatus) as ErrorType[];
  return known.find((key) => key === type) ?? known.find((key) => errorStatus[key] === status) ?? byClass(status);
}

const byClass = (status: number): ErrorType => (status < 500 ? 'invalid' : 'internal');
